// Operators on packs, against the same on numbers.
#ifdef KROTON_TEST_MAIN
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#endif
#include "each_type.hpp"

namespace {

namespace simd = kroton::simd;
using simd_test::check_lanes;

TEST_CASE("integer arithmetic wraps around and never traps") {
  simd_test::each_integer([]<class T>() {
    using U = simd::wrapping<T>;
    const auto wrap = [](auto operation) {
      return [=](T a, T b) { return static_cast<T>(operation(static_cast<U>(a), static_cast<U>(b))); };
    };
    check_lanes<T>(
        "+", [](auto a, auto b) { return a + b; }, wrap([](U a, U b) { return a + b; }));
    check_lanes<T>(
        "-", [](auto a, auto b) { return a - b; }, wrap([](U a, U b) { return a - b; }));
    check_lanes<T>(
        "*", [](auto a, auto b) { return a * b; }, wrap([](U a, U b) { return a * b; }));
    check_lanes<T>(
        "unary -", [](auto a, auto) { return -a; }, wrap([](U a, U) { return U{0} - a; }));
    check_lanes<T>(
        "/", [](auto a, auto b) { return a / b; }, [](T a, T b) { return simd::quotient(a, b); });
    check_lanes<T>(
        "remainder", [](auto a, auto b) { return simd::remainder(a, b); },
        [](T a, T b) { return simd::remainder(a, b); });
    check_lanes<T>(
        "floor_quotient", [](auto a, auto b) { return simd::floor_quotient(a, b); },
        [](T a, T b) { return simd::floor_quotient(a, b); });
    check_lanes<T>(
        "floor_remainder", [](auto a, auto b) { return simd::floor_remainder(a, b); },
        [](T a, T b) { return simd::floor_remainder(a, b); });
    check_lanes<T>(
        "&", [](auto a, auto b) { return a & b; }, wrap([](U a, U b) { return a & b; }));
    check_lanes<T>(
        "|", [](auto a, auto b) { return a | b; }, wrap([](U a, U b) { return a | b; }));
    check_lanes<T>(
        "^", [](auto a, auto b) { return a ^ b; }, wrap([](U a, U b) { return a ^ b; }));
    check_lanes<T>(
        "~", [](auto a, auto) { return ~a; }, wrap([](U a, U) { return ~a; }));
    check_lanes<T>(
        "<<", [](auto a, auto b) { return a << b; }, [](T a, T b) { return simd::shift_left(a, b); });
    check_lanes<T>(
        ">>", [](auto a, auto b) { return a >> b; }, [](T a, T b) { return simd::shift_right(a, b); });
  });
}

TEST_CASE("real arithmetic is that of numbers") {
  simd_test::each_real([]<class T>() {
    check_lanes<T>(
        "+", [](auto a, auto b) { return a + b; }, [](T a, T b) { return a + b; });
    check_lanes<T>(
        "-", [](auto a, auto b) { return a - b; }, [](T a, T b) { return a - b; });
    check_lanes<T>(
        "*", [](auto a, auto b) { return a * b; }, [](T a, T b) { return a * b; });
    check_lanes<T>(
        "/", [](auto a, auto b) { return a / b; }, [](T a, T b) { return a / b; });
    check_lanes<T>(
        "unary -", [](auto a, auto) { return -a; }, [](T a, T) { return -a; });
    check_lanes<T>(
        "floor_quotient", [](auto a, auto b) { return simd::floor_quotient(a, b); },
        [](T a, T b) { return simd::floor_quotient(a, b); });
    check_lanes<T>(
        "floor_remainder", [](auto a, auto b) { return simd::floor_remainder(a, b); },
        [](T a, T b) { return simd::floor_remainder(a, b); });
  });
  simd_test::each_real(simd_test::with_widths([]<class T, int W>() {
    simd_test::expect(std::signbit(simd::lane(-simd::broadcast<simd::pack<T, W>>(T(0)), 0)));
  }));
}

// Kernels copy packs as they are, and do not pay for what they write next.
static_assert(std::is_trivially_copyable_v<simd::pack<float, simd::lanes<float>>>);
static_assert(std::is_trivially_default_constructible_v<simd::pack<double, 1>>);
static_assert(std::is_trivially_default_constructible_v<simd::mask<4, simd::lanes<float>>>);
static_assert(sizeof(simd::pack<float, 1>) == sizeof(float));
static_assert(simd::lanes<float, double, bool> == simd::native_bytes / 8);
static_assert(simd::lanes<std::int8_t> == simd::native_bytes / 4);

}  // namespace
