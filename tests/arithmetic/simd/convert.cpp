// Packs of each element type from each other, against the conversion of numbers.
#ifdef KROTON_TEST_MAIN
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#endif
#include "each_type.hpp"

namespace {

namespace simd = kroton::simd;
using simd_test::check_lanes;

/// Numbers at and beyond the bounds of the integer types, and random ones.
template <class From>
const std::vector<From>& numbers() {
  static const std::vector<From> all = [] {
    std::vector<From> x = simd_test::operands<From>().first;
    for (double edge : {127.0,
                        127.9,
                        128.0,
                        -128.0,
                        -128.9,
                        -129.0,
                        255.9,
                        256.0,
                        -0.9,
                        32767.5,
                        65535.5,
                        65536.0,
                        2147483520.0,
                        2147483647.0,
                        2147483648.0,
                        -2147483648.0,
                        -2147483904.0,
                        4294967295.0,
                        4294967296.0,
                        9223371761976868352.0,
                        9223372036854775807.0,
                        -9223372036854775808.0,
                        -9.3e18,
                        18446742974197923840.0,
                        1.8446744073709552e19,
                        1e30,
                        3.5e38})
      x.push_back(simd::convert<From>(edge));
    std::mt19937_64 random(1);
    while (x.size() < 512 || x.size() % 64 != 0) {
      const double mantissa = static_cast<double>(static_cast<std::int64_t>(random()));
      x.push_back(simd::convert<From>(std::ldexp(mantissa, static_cast<int>(random() % 70) - 66)));
    }
    return x;
  }();
  return all;
}

template <class From, class To>
void check_converted(int width, const std::vector<To>& found) {
  const std::vector<From>& x = numbers<From>();
  std::vector<To> expected;
  for (From number : x) expected.push_back(simd::convert<To>(number));
  simd_test::check_same((std::string("conversion to ") + typeid(To).name()).c_str(), width, x, x, found, expected);
}

template <class From, class To, int W>
void check_conversion() {
  const std::vector<From>& x = numbers<From>();
  std::vector<To> found(x.size());
  for (std::size_t i = 0; i < x.size(); i += W)
    store(&found[i], simd::convert<To>(simd::load<simd::pack<From, W>>(&x[i])));
  check_converted<From, To>(W, found);
}

template <class From, int W>
void check_conversions() {
  check_conversion<From, float, W>();
  check_conversion<From, double, W>();
  check_conversion<From, std::int8_t, W>();
  check_conversion<From, std::int16_t, W>();
  check_conversion<From, std::int32_t, W>();
  check_conversion<From, std::int64_t, W>();
  check_conversion<From, std::uint8_t, W>();
  check_conversion<From, std::uint16_t, W>();
  check_conversion<From, std::uint32_t, W>();
  check_conversion<From, std::uint64_t, W>();
}

template <int W>
void check_all_conversions() {
  check_conversions<float, W>();
  check_conversions<double, W>();
  check_conversions<std::int8_t, W>();
  check_conversions<std::int16_t, W>();
  check_conversions<std::int32_t, W>();
  check_conversions<std::int64_t, W>();
  check_conversions<std::uint8_t, W>();
  check_conversions<std::uint16_t, W>();
  check_conversions<std::uint32_t, W>();
  check_conversions<std::uint64_t, W>();
}

TEST_CASE("single numbers convert") { check_all_conversions<1>(); }
TEST_CASE("packs of a register of floats convert") { check_all_conversions<simd::lanes<float>>(); }
TEST_CASE("packs of a register of doubles convert") { check_all_conversions<simd::lanes<double>>(); }
TEST_CASE("packs of two registers of floats convert") {
  check_conversions<float, 2 * simd::lanes<float>>();
  check_conversions<double, 2 * simd::lanes<float>>();
  check_conversions<std::int64_t, 2 * simd::lanes<float>>();
}

TEST_CASE("masks become zeros and ones, and change their size") {
  const auto check = []<class T>() {
    check_lanes<T>(
        "number of mask", [](auto a, auto b) { return simd::convert<T>(a < b); },
        [](T a, T b) { return static_cast<T>(a < b); });
    check_lanes<T>(
        "double of mask", [](auto a, auto b) { return simd::convert<double>(a < b); },
        [](T a, T b) { return static_cast<double>(a < b); });
    check_lanes<T>(
        "1", [](auto a, auto b) { return simd::convert<1>(a < b); }, [](T a, T b) { return a < b; });
    check_lanes<T>(
        "2", [](auto a, auto b) { return simd::convert<2>(a < b); }, [](T a, T b) { return a < b; });
    check_lanes<T>(
        "4", [](auto a, auto b) { return simd::convert<4>(a < b); }, [](T a, T b) { return a < b; });
    check_lanes<T>(
        "8", [](auto a, auto b) { return simd::convert<8>(a < b); }, [](T a, T b) { return a < b; });
    check_lanes<T>(
        "bool", [](auto a, auto) { return simd::convert<bool>(a); }, [](T a, T) { return static_cast<bool>(a); });
  };
  simd_test::each_type(check);
}

}  // namespace
