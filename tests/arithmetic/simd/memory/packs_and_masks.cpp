// Packs and masks from and to memory. Blocks have exactly the size that may be touched, for the address
// sanitizer.
#ifdef KROTON_TEST_MAIN
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#endif
#include "../each_type.hpp"

#include <memory>

namespace {

namespace simd = kroton::simd;
using simd_test::expect;

/// A block of `size` numbers 1, 2, ... on the heap, without a spare byte.
template <class T>
std::unique_ptr<T[]> block(int size) {
  auto out = std::make_unique<T[]>(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) out[static_cast<std::size_t>(i)] = static_cast<T>(i + 1);
  return out;
}

TEST_CASE("whole packs") {
  const auto check = []<class T, int W>() {
    using P = simd::pack<T, W>;
    const auto from = block<T>(W + 1);
    const P p = simd::load<P>(from.get() + 1);
    for (int i = 0; i < W; ++i) expect(simd::lane(p, i) == from[static_cast<std::size_t>(i + 1)]);
    const auto to = block<T>(W + 1);
    store(to.get() + 1, p);
    expect(to[0] == T(1));
    for (std::size_t i = 1; i <= W; ++i) expect(to[i] == from[i]);
    for (int i = 0; i < W; ++i) expect(simd::lane(simd::iota<P>(T(5)), i) == static_cast<T>(5 + i));
    for (int i = 0; i < W; ++i) expect(simd::lane(simd::broadcast<P>(T(9)), i) == T(9));
  };
  simd_test::each_type(simd_test::with_widths(check));
}

TEST_CASE("whole packs past the caches") {
  const auto check = []<class T, int W>() {
    using P = simd::pack<T, W>;
    alignas(64) T to[3 * W];
    for (T& x : to) x = T(1);
    simd::stream(to + W, simd::iota<P>(T(5)));
    simd::fence();
    for (int i = 0; i < 3 * W; ++i) expect(to[i] == static_cast<T>(i >= W && i < 2 * W ? 5 + i - W : 1));
  };
  simd_test::each_type(simd_test::with_widths(check));
}

TEST_CASE("the first few lanes only") {
  const auto check = []<class T, int W>() {
    using P = simd::pack<T, W>;
    for (int count = 0; count <= W; ++count) {
      const auto from = block<T>(count);
      const P p = simd::load_partial<P>(from.get(), count);
      for (int i = 0; i < W; ++i) expect(simd::lane(p, i) == static_cast<T>(count == 0 ? 0 : std::min(i + 1, count)));
      const auto exact = block<T>(count);
      store_partial(exact.get(), simd::broadcast<P>(T(77)), count);
      for (int i = 0; i < count; ++i) expect(exact[static_cast<std::size_t>(i)] == T(77));
      const auto guarded = block<T>(W);
      store_partial(guarded.get(), simd::broadcast<P>(T(77)), count);
      for (int i = 0; i < W; ++i)
        expect(guarded[static_cast<std::size_t>(i)] == static_cast<T>(i < count ? 77 : i + 1));
    }
  };
  simd_test::each_type(simd_test::with_widths(check));
}

TEST_CASE("lanes that are a stride apart") {
  const auto check = []<class T, int W>() {
    using P = simd::pack<T, W>;
    for (int stride : {1, 2, 3, -2, 0}) {
      for (int count : {0, 1, W / 2, W - 1, W}) {
        const int span = count == 0 ? 0 : (count - 1) * std::abs(stride) + 1;
        const auto from = block<T>(span), to = block<T>(span);
        const int first = stride < 0 ? span - 1 : 0;
        const auto at = [&](int i) { return static_cast<std::size_t>(first + i * stride); };
        const P p = simd::load_strided<P>(from.get() + (count == 0 ? 0 : first), stride, count);
        for (int i = 0; i < W; ++i) expect(simd::lane(p, i) == (count == 0 ? T(0) : from[at(std::min(i, count - 1))]));
        store_strided(to.get() + (count == 0 ? 0 : first), p + p, stride, count);
        int written = 0;
        for (int i = 0; i < span; ++i) written += to[static_cast<std::size_t>(i)] != from[static_cast<std::size_t>(i)];
        expect(written == (stride == 0 ? std::min(count, 1) : count));
        for (int i = 0; i < count; ++i) expect(to[at(i)] == static_cast<T>(from[at(i)] + from[at(i)]));
        if constexpr (simd::real_pack<P>) {
          const P every_second = stride == 2 ? simd::load_every_second<P>(from.get(), count) : p;
          for (int i = 0; i < count; ++i) expect(simd::lane(every_second, i) == from[at(i)]);
        }
      }
    }
  };
  simd_test::each_type(simd_test::with_widths(check));
}

template <int Bytes, int W>
void check_masks() {
  INFO("masks of ", Bytes, " bytes, ", W, " lanes");
  using M = simd::mask<Bytes, W>;
  std::mt19937_64 random(Bytes * W);
  const auto truths = [&](int size) {
    auto out = std::make_unique<bool[]>(static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i) out[static_cast<std::size_t>(i)] = random() % 2 != 0;
    return out;
  };
  for (int count = 0; count <= W; ++count) {
    const auto from = truths(count), to = truths(count), strided_from = truths(3 * W), strided_to = truths(3 * W);
    const M m = simd::load_mask_partial<M>(from.get(), count);
    for (int i = 0; i < W; ++i)
      expect(simd::lane(m, i) == (count > 0 && from[static_cast<std::size_t>(std::min(i, count - 1))]));
    store_partial(to.get(), m, count);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) expect(to[i] == from[i]);
    const M apart = simd::load_mask_strided<M>(strided_from.get(), 3, count);
    for (int i = 0; i < count; ++i) expect(simd::lane(apart, i) == strided_from[static_cast<std::size_t>(3 * i)]);
    store_strided(strided_to.get(), apart, 3, count);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) expect(strided_to[3 * i] == strided_from[3 * i]);
  }
  const auto from = truths(W), to = truths(W);
  const M m = simd::load_mask<M>(from.get());
  store(to.get(), m);
  for (std::size_t i = 0; i < W; ++i) expect(to[i] == from[i]);
  const auto streamed = truths(W);
  simd::stream(streamed.get(), m);
  for (std::size_t i = 0; i < W; ++i) expect(streamed[i] == from[i]);
  for (int i = 0; i < W; ++i) expect(simd::lane(m, i) == from[static_cast<std::size_t>(i)]);
}

template <int... W>
void check_masks_of_widths(std::integer_sequence<int, W...>) {
  (check_masks<1, W>(), ...);
  (check_masks<2, W>(), ...);
  (check_masks<4, W>(), ...);
  (check_masks<8, W>(), ...);
}

TEST_CASE("masks are bools in memory") { check_masks_of_widths(std::integer_sequence<int, 1, 2, 4, 8, 16, 32, 64>{}); }

}  // namespace
