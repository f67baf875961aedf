// Functions of a few instructions on packs, against the same on numbers.
#ifdef KROTON_TEST_MAIN
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#endif
#include "each_type.hpp"

namespace {

namespace simd = kroton::simd;
using simd_test::check_lanes;

TEST_CASE("minimum, maximum, sign and magnitude") {
  const auto check = []<class T>() {
    check_lanes<T>(
        "minimum", [](auto a, auto b) { return minimum(a, b); }, [](T a, T b) { return simd::minimum(a, b); });
    check_lanes<T>(
        "maximum", [](auto a, auto b) { return maximum(a, b); }, [](T a, T b) { return simd::maximum(a, b); });
    check_lanes<T>(
        "sign", [](auto a, auto) { return sign(a); }, [](T a, T) { return simd::sign(a); });
    check_lanes<T>(
        "abs", [](auto a, auto) { return abs(a); },
        [](T a, T) {
          if constexpr (std::is_floating_point_v<T>) return std::fabs(a);
          else return a < T(0) ? static_cast<T>(simd::wrapping<T>{0} - static_cast<simd::wrapping<T>>(a)) : a;
        });
  };
  simd_test::each_type(check);
}

TEST_CASE("a NaN survives minimum, maximum and sign; zeros keep their sign") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(std::isnan(simd::minimum(nan, 1.0f)));
  CHECK(std::isnan(simd::minimum(1.0f, nan)));
  CHECK(std::isnan(simd::maximum(nan, 1.0f)));
  CHECK(std::isnan(simd::maximum(1.0f, nan)));
  CHECK(std::isnan(simd::sign(nan)));
  CHECK(std::signbit(simd::sign(-0.0f)));
  simd_test::each_real(simd_test::with_widths([]<class T, int W>() {
    using P = simd::pack<T, W>;
    simd_test::expect(std::signbit(simd::lane(sign(simd::broadcast<P>(-T(0))), 0)));
    simd_test::expect(!std::signbit(simd::lane(sign(simd::broadcast<P>(T(0))), 0)));
  }));
}

TEST_CASE("classification, copied signs and fused products") {
  simd_test::each_real([]<class T>() {
    check_lanes<T>(
        "isnan", [](auto a, auto) { return isnan(a); }, [](T a, T) { return std::isnan(a); });
    check_lanes<T>(
        "isinf", [](auto a, auto) { return isinf(a); }, [](T a, T) { return std::isinf(a); });
    check_lanes<T>(
        "isfinite", [](auto a, auto) { return isfinite(a); }, [](T a, T) { return std::isfinite(a); });
    check_lanes<T>(
        "copysign", [](auto a, auto b) { return copysign(a, b); }, [](T a, T b) { return std::copysign(a, b); });
    check_lanes<T>(
        "copied sign", [](auto a, auto b) { return copysign(abs(b / b), copysign(a, b)); },
        [](T a, T b) { return std::copysign(std::fabs(b / b), std::copysign(a, b)); });
    check_lanes<T>(
        "fma", [](auto a, auto b) { return fma(a, b, a); },
        [](T a, T b) { return simd::fma_is_fused ? std::fma(a, b, a) : a * b + a; });
  });
}

/// A kernel body as the library writes them: for packs and for numbers alike.
template <class X>
X body(X x, X y) {
  using simd::maximum, simd::select, simd::sigmoid, simd::sign, simd::softplus, simd::round_half_even, simd::is_nonzero,
      simd::convert;
  using std::exp, std::fma, std::isnan, std::pow, std::tanh;
  const X sum = fma(tanh(x), y, sigmoid(x)) + softplus(x) * sign(y) + round_half_even(exp(y));
  return select(isnan(x) || is_nonzero(y), maximum(sum, x), pow(y, x));
}

TEST_CASE("one body serves numbers and packs") {
  simd_test::each_real(simd_test::with_widths([]<class T, int W>() {
    using P = simd::pack<T, W>;
    for (int i = -8; i < 8; ++i) {
      const T x = static_cast<T>(i) / 3, y = static_cast<T>(i * i % 5) / 2;
      const T number = body(x, y), lane = simd::lane(body(simd::broadcast<P>(x), simd::broadcast<P>(y)), W - 1);
      simd_test::expect(number == lane ||
                        std::fabs(number - lane) <= std::fabs(number) * 16 * std::numeric_limits<T>::epsilon());
    }
  }));
}

// The scalar counterparts are constants where their arguments are.
static_assert(simd::minimum(2, 1) == 1 && simd::maximum(2.0, 1.0) == 2.0);
static_assert(simd::sign(-3) == -1 && simd::sign(0u) == 0u && simd::sign(2.5f) == 1.0f);
static_assert(simd::select(true, 1, 2) == 1 && simd::select(false, true, false) == false);
static_assert(simd::convert<std::int32_t>(1e20) == std::numeric_limits<std::int32_t>::max());
static_assert(simd::convert<std::uint8_t>(-1.0f) == 0 && simd::convert<bool>(0.5));
static_assert(simd::quotient(7, 0) == 0 && simd::remainder(7, 0) == 0);
static_assert(simd::quotient(std::numeric_limits<int>::min(), -1) == std::numeric_limits<int>::min());
static_assert(simd::shift_left(1, 32) == 0 && simd::shift_right(-5, 99) == -1);

}  // namespace
