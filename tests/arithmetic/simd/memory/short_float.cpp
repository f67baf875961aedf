// alone: as the other tests of packs.
#include "../each_type.hpp"

#include <bit>

namespace kt = kroton;
namespace simd = kroton::simd;

namespace {

/// Floats of every kind: all that are made of 16 upper bits, a little above and below, and NaNs whose payload
/// is in the lower bits.
std::vector<float> floats_of_every_kind() {
  std::vector<float> floats;
  for (std::uint32_t upper = 0; upper < 0x10000; ++upper)
    for (std::uint32_t lower : {0x0000u, 0x0001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu})
      floats.push_back(std::bit_cast<float>(upper << 16 | lower));
  return floats;
}

bool same(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) || (a != a && b != b);
}

template <class T, int W>
void check_conversions() {
  using P = simd::pack<float, W>;
  int wrong = 0;
  for (unsigned first = 0; first < 0x10000; first += W) {
    T numbers[W];
    for (unsigned i = 0; i < W; ++i) numbers[i] = T::from_bits(static_cast<std::uint16_t>(first + i));
    const auto floats = simd::to_array(simd::load<P>(numbers));
    for (std::size_t i = 0; i < W; ++i) wrong += !same(floats[i], numbers[i]);
  }
  const std::vector<float> floats = floats_of_every_kind();
  for (std::size_t first = 0; first < floats.size(); first += W) {
    T stored[W];
    const P p = simd::load<P>(&floats[first]);
    simd::store(stored, p);
    const auto rounded = simd::to_array(simd::rounded_to<T>(p));
    for (std::size_t i = 0; i < W; ++i)
      wrong += !same(stored[i], T(floats[first + i])) || !same(rounded[i], T(floats[first + i]));
  }
  CHECK(wrong == 0);
}

template <class T, int W>
void check_moves() {
  using P = simd::pack<float, W>;
  alignas(64) T from[3 * W], to[3 * W];
  for (int i = 0; i < 3 * W; ++i) from[i] = T(i + 1);
  int wrong = 0;
  for (int count = 0; count <= W; ++count)
    for (int stride : {1, 3}) {
      const auto floats =
          simd::to_array(stride == 1 ? simd::load_partial<P>(from, count) : simd::load_strided<P>(from, stride, count));
      for (int i = 0; i < W; ++i) {
        const float expected = count == 0 ? 0 : static_cast<float>((i < count ? i : count - 1) * stride + 1);
        wrong += floats[static_cast<std::size_t>(i)] != expected;
      }
      for (T& x : to) x = T(-1);
      if (stride == 1) simd::store_partial(to, simd::load<P>(from), count);
      else simd::store_strided(to, simd::load<P>(from), stride, count);
      for (int i = 0; i < 3 * W; ++i)
        wrong += to[i] != (i % stride == 0 && i / stride < count ? static_cast<float>(i / stride + 1) : -1.0f);
    }
  simd::stream(to, simd::load<P>(from + W));
  simd::fence();
  for (int i = 0; i < W; ++i) wrong += to[i] != from[W + i];
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE_TEMPLATE("16-bit floats become floats, and floats are rounded to them, as one by one", T, kt::half,
                   kt::bfloat16) {
  check_conversions<T, 1>();
  check_conversions<T, 4>();
  check_conversions<T, 8>();
  check_conversions<T, 16>();
  check_conversions<T, 32>();
}

TEST_CASE_TEMPLATE("16-bit floats are read and written whole, in part, with strides and in streams", T, kt::half,
                   kt::bfloat16) {
  check_moves<T, 1>();
  check_moves<T, 8>();
  check_moves<T, 16>();
  check_moves<T, 32>();
}
