// Selection between packs by masks.
#ifdef KROTON_TEST_MAIN
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#endif
#include "each_type.hpp"

namespace {

namespace simd = kroton::simd;
using simd_test::check_lanes;

TEST_CASE("selection is that of numbers, whatever the size of the mask") {
  const auto check = []<class T>() {
    check_lanes<T>(
        "select", [](auto a, auto b) { return select(a < b, a, b); }, [](T a, T b) { return a < b ? a : b; });
    check_lanes<T>(
        "select by mask of 1 byte", [](auto a, auto b) { return select(simd::convert<1>(a < b), a, b); },
        [](T a, T b) { return a < b ? a : b; });
    check_lanes<T>(
        "select by mask of 8 bytes", [](auto a, auto b) { return select(simd::convert<8>(a < b), a, b); },
        [](T a, T b) { return a < b ? a : b; });
  };
  simd_test::each_type(check);
}

/// A loop is what made GCC 12 swap the choices of half registers on AVX-512 when the condition was negated.
template <class P, class Choice>
[[gnu::noinline]] void choose(const typename P::value_type* x, const typename P::value_type* y,
                              typename P::value_type* to, int size, Choice choice) {
  for (int i = 0; i < size; i += P::size) store(to + i, choice(simd::load<P>(x + i), simd::load<P>(y + i)));
}

TEST_CASE("selection by negated comparisons") {
  const auto check = []<class T, int W>() {
    using P = simd::pack<T, W>;
    const auto zero = simd::broadcast<P>(T(0)), one = simd::broadcast<P>(T(1)),
               low = simd::broadcast<P>(std::numeric_limits<T>::lowest());
    std::vector<T> x(256), y(256), to(256);
    for (int i = 0; i < 256; ++i)
      x[static_cast<std::size_t>(i)] = static_cast<T>(i % 3),
      y[static_cast<std::size_t>(i)] = static_cast<T>(i % 5 % 3);
    const auto expect = [&](auto choice, auto expected) {
      choose<P>(x.data(), y.data(), to.data(), 256, choice);
      int wrong = 0;
      for (std::size_t i = 0; i < to.size(); ++i) wrong += to[i] != expected(x[i], y[i]);
      CHECK(wrong == 0);
    };
    expect([](P a, P b) { return select(a != b, a, b + b); },
           [](T a, T b) { return a != b ? a : static_cast<T>(b + b); });
    expect([](P a, P b) { return select(a <= b, a, b + b); },
           [](T a, T b) { return a <= b ? a : static_cast<T>(b + b); });
    expect([=](P a, P) { return select(a > zero, one + one, a); }, [](T a, T) { return a > T(0) ? T(2) : a; });
    expect([=](P a, P) { return select(a > low, one + one, a); },
           [](T a, T) { return a > std::numeric_limits<T>::lowest() ? T(2) : a; });
  };
  simd_test::each_type(simd_test::with_widths(check));
}

}  // namespace
