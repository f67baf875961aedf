// The tests of accuracy, for the element type that the including file names KROTON_TEST_TYPE; files of their own
// compile side by side.
#include <kroton/arithmetic/simd/normal_quantile.hpp>
#include <kroton/arithmetic/simd/simd.hpp>

#include "accuracy.hpp"

#define KROTON_TEST_STRING(text) #text
#define KROTON_TEST_STRING_OF(macro) KROTON_TEST_STRING(macro)
#define KROTON_TEST_NAME KROTON_TEST_STRING_OF(KROTON_TEST_TYPE)

namespace {

using T = KROTON_TEST_TYPE;
namespace simd = kroton::simd;
using simd_test::check_accuracy;

#define KROTON_TEST_FUNCTION(name) \
  check_accuracy<T>(               \
      #name, [](const auto& x) { return simd::name(x); }, [](auto x) { return std::name(x); })

TEST_CASE("exponentials of " KROTON_TEST_NAME " are accurate everywhere") {
  KROTON_TEST_FUNCTION(exp);
  KROTON_TEST_FUNCTION(exp2);
  KROTON_TEST_FUNCTION(expm1);
  check_accuracy<T>(
      "sigmoid", [](const auto& x) { return simd::sigmoid(x); }, [](auto x) { return simd::sigmoid(x); });
  check_accuracy<T>(
      "softplus", [](const auto& x) { return simd::softplus(x); }, [](auto x) { return simd::softplus(x); });
}

TEST_CASE("logarithms of " KROTON_TEST_NAME " are accurate everywhere") {
  KROTON_TEST_FUNCTION(log);
  KROTON_TEST_FUNCTION(log2);
  KROTON_TEST_FUNCTION(log10);
  KROTON_TEST_FUNCTION(log1p);
}

TEST_CASE("circular functions of " KROTON_TEST_NAME " are accurate everywhere") {
  KROTON_TEST_FUNCTION(sin);
  KROTON_TEST_FUNCTION(cos);
  KROTON_TEST_FUNCTION(tan);
  KROTON_TEST_FUNCTION(asin);
  KROTON_TEST_FUNCTION(acos);
  KROTON_TEST_FUNCTION(atan);
}

TEST_CASE("hyperbolic functions of " KROTON_TEST_NAME " are accurate everywhere") {
  KROTON_TEST_FUNCTION(sinh);
  KROTON_TEST_FUNCTION(cosh);
  KROTON_TEST_FUNCTION(tanh);
  KROTON_TEST_FUNCTION(asinh);
  KROTON_TEST_FUNCTION(acosh);
  KROTON_TEST_FUNCTION(atanh);
}

TEST_CASE("error functions of " KROTON_TEST_NAME " are accurate everywhere") {
  KROTON_TEST_FUNCTION(erf);
  KROTON_TEST_FUNCTION(erfc);
}

long double exact_normal_cdf(long double x) { return std::erfc(-x * 0.707106781186547524400844362104849039L) / 2; }
long double exact_normal_pdf(long double x) { return 0.398942280401432677939946059934L * std::exp(-x * x / 2); }
long double exact_log_erfc(long double x) {
  if (x < 0.3L) return std::log1p(-std::erf(x));
  if (x < 100) return std::log(std::erfc(x));
  return -x * x - std::log(x / std::numbers::inv_sqrtpi_v<long double>) + std::log1p(simd::erfc_series(1 / (x * x)));
}

TEST_CASE("the normal distribution, its density and log_erfc of " KROTON_TEST_NAME " are accurate everywhere") {
  check_accuracy<T>(
      "normal_cdf", [](const auto& x) { return simd::normal_cdf(x); }, exact_normal_cdf);
  check_accuracy<T>(
      "normal_pdf", [](const auto& x) { return simd::normal_pdf(x); }, exact_normal_pdf);
  using P = simd::pack<T, simd::lanes<T>>;
  const T end = std::numeric_limits<T>::infinity();
  CHECK(simd::lane(simd::normal_pdf(simd::broadcast<P>(end)), 0) == 0);
  CHECK(simd::lane(simd::normal_cdf(simd::broadcast<P>(-end)), 0) == 0);
  check_accuracy<T>(
      "log_erfc", [](const auto& x) { return simd::log_erfc(x); }, exact_log_erfc, 5);
}

/// One step of Halley from the rounded quantile.
long double exact_normal_quantile(long double p) {
  if (p > 0.5L) return -exact_normal_quantile(1 - p);
  const long double z = simd::normal_quantile(static_cast<double>(p));
  if (!std::isfinite(z)) return z;
  const long double step = (exact_normal_cdf(z) - p) * 2.50662827463100050241576528481L * std::exp(z * z / 2);
  return z - step / (1 + z * step / 2);
}

TEST_CASE("the normal quantile of " KROTON_TEST_NAME " is accurate everywhere") {
  check_accuracy<T>(
      "normal_quantile", [](const auto& x) { return simd::normal_quantile(x); }, exact_normal_quantile, 6);
}

TEST_CASE("gaussian error linear units of " KROTON_TEST_NAME " keep their small results") {
  using P = simd::pack<T, simd::lanes<T>>;
  constexpr bool is_float = std::same_as<T, float>;
  for (T x = is_float ? T(-13) : T(-37.5); x < 13; x += T(0x1.7p-9)) {
    const long double at = x, above = exact_normal_cdf(at), slope = at * exact_normal_pdf(at);
    const auto is_near = [](T found, long double exact, long double size) {
      return std::fabs(found - exact) <= (is_float ? 0x1p-20L : 0x1p-48L) * size;
    };
    const P pack = simd::broadcast<P>(x);
    CAPTURE(x);
    const bool values = is_near(simd::lane(simd::gelu(pack), 0), at * above, std::fabs(at * above)) &&
                        is_near(simd::gelu(x), at * above, std::fabs(at * above));
    CHECK(values);
    const bool slopes = is_near(simd::lane(simd::gelu_derivative(pack), 0), above + slope, above + std::fabs(slope)) &&
                        is_near(simd::gelu_derivative(x), above + slope, above + std::fabs(slope));
    CHECK(slopes);
  }
}

TEST_CASE("gaussian error linear units of " KROTON_TEST_NAME " are accurate") {
  using P = simd::pack<T, simd::lanes<T>>;
  const auto check = [](const char* name, auto function, double ulp) {
    CAPTURE(name);
    for (T from = T(-30); from < 30; from += T(0x1.1p-9)) {
      const P x = simd::broadcast<P>(from) + simd::iota<P>(0) * simd::broadcast<P>(T(0x1.3p-12)), found = function(x);
      for (int i = 0; i < P::size; ++i) {
        const T at = simd::lane(x, i), size = std::max(T(1), std::fabs(at));
        const long double error =
            std::fabs(static_cast<long double>(simd::lane(found, i)) - function(static_cast<long double>(at)));
        const bool is_near = error <= static_cast<long double>(size) * ulp * std::numeric_limits<T>::epsilon();
        CAPTURE(at);
        CHECK(is_near);
      }
    }
    constexpr T infinity = std::numeric_limits<T>::infinity(), most = std::numeric_limits<T>::max();
    for (const T extreme : {infinity, -infinity, most, -most, T(-0.0), std::numeric_limits<T>::denorm_min(),
                            std::numeric_limits<T>::quiet_NaN()}) {
      const T found = simd::lane(function(simd::broadcast<P>(extreme)), 0),
              expected = static_cast<T>(function(static_cast<long double>(extreme)));
      CAPTURE(extreme);
      const bool is_close = std::fabs(found - expected) <= static_cast<T>(ulp) * std::numeric_limits<T>::epsilon();
      CHECK((found == expected || is_close || (std::isnan(found) && std::isnan(expected))));
    }
  };
  check(
      "gelu", [](const auto& x) { return simd::gelu(x); }, 2);
  check(
      "gelu_derivative", [](const auto& x) { return simd::gelu_derivative(x); }, 4);
  check(
      "gelu_tanh", [](const auto& x) { return simd::gelu_tanh(x); }, 2);
  check(
      "gelu_tanh_derivative", [](const auto& x) { return simd::gelu_tanh_derivative(x); }, 2);
}

TEST_CASE("what tends to 1 never exceeds it") {
  using P = simd::pack<T, simd::lanes<T>>;
  T largest = 0;
  for (T x = T(0.5); x < 25; x += T(0x1p-12)) {
    const P some = simd::broadcast<P>(x) + simd::iota<P>(0) * simd::broadcast<P>(T(0x1.3p-16));
    const P all[] = {simd::erf(some), simd::tanh(-some), simd::sigmoid(some)};
    for (const P& y : all)
      for (T size : to_array(abs(y))) largest = std::max(largest, size);
  }
  CHECK(largest == 1);
}

TEST_CASE("gamma functions of " KROTON_TEST_NAME " are those of the standard library") {
  using P = simd::pack<T, simd::lanes<T>>;
  for (T x : {T(-2.5), T(0.5), T(1), T(5), T(30.25), std::numeric_limits<T>::infinity()}) {
    CHECK(simd::lane(simd::tgamma(simd::broadcast<P>(x)), 0) == std::tgamma(x));
    CHECK(simd::lane(simd::lgamma(simd::broadcast<P>(x)), 0) == std::lgamma(x));
  }
}

TEST_CASE("rounding and roots of " KROTON_TEST_NAME " are exact") {
  const auto exactly = [](const char* name, auto function, auto exact) { check_accuracy<T>(name, function, exact, 0); };
  exactly(
      "floor", [](const auto& x) { return simd::floor(x); }, [](auto x) { return std::floor(x); });
  exactly(
      "ceil", [](const auto& x) { return simd::ceil(x); }, [](auto x) { return std::ceil(x); });
  exactly(
      "trunc", [](const auto& x) { return simd::trunc(x); }, [](auto x) { return std::trunc(x); });
  exactly(
      "round", [](const auto& x) { return simd::round(x); }, [](auto x) { return std::round(x); });
  exactly(
      "round_half_even", [](const auto& x) { return simd::round_half_even(x); },
      [](auto x) { return std::nearbyint(x); });
  exactly(
      "abs", [](const auto& x) { return simd::abs(x); }, [](auto x) { return std::fabs(x); });
  check_accuracy<T>(
      "sqrt", [](const auto& x) { return simd::sqrt(x); }, [](auto x) { return std::sqrt(x); }, 0.51);
}

/// Pairs of all edges, of random numbers, and of bases near 1 with large exponents.
template <class Function, class Exact>
void check_pairs(const char* name, Function function, Exact exact) {
  using P = simd::pack<T, simd::lanes<T>>;
  std::vector<T> x, y;
  const T infinity = std::numeric_limits<T>::infinity();
  std::vector<T> edges{0,
                       std::numeric_limits<T>::denorm_min(),
                       std::numeric_limits<T>::min(),
                       std::numeric_limits<T>::max(),
                       infinity,
                       std::numeric_limits<T>::quiet_NaN(),
                       T(0.5),
                       1,
                       T(1.5),
                       2,
                       3,
                       4,
                       T(1e7 + 1),
                       T(16777216),
                       T(9007199254740992.0)};
  for (std::size_t i = edges.size(); i-- > 0;) edges.push_back(-edges[i]);
  for (T a : edges)
    for (T b : edges) x.push_back(a), y.push_back(b);
  std::mt19937_64 random(1);
  const auto uniform = [&] {
    return static_cast<T>(std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), -63));
  };
  const auto any = [&] { return std::bit_cast<T>(static_cast<simd_test::bits_of<T>>(random())); };
  for (int i = 0; i < 100000; ++i) {
    x.push_back(any()), y.push_back(any());
    x.push_back(std::fabs(any())), y.push_back(uniform() * 2);
    x.push_back(uniform() * 100), y.push_back(std::round(uniform() * 50));
    x.push_back(1 + uniform() / 100), y.push_back(uniform() * (sizeof(T) == 4 ? 10000 : 80000));
  }
  while (x.size() % P::size != 0) x.push_back(1), y.push_back(1);
  double largest = 0;
  std::pair<T, T> where{};
  for (std::size_t i = 0; i < x.size(); i += P::size) {
    const auto got = to_array(function(simd::load<P>(&x[i]), simd::load<P>(&y[i])));
    for (std::size_t k = 0; k < P::size; ++k) {
      using reference = std::conditional_t<sizeof(T) == 4, double, long double>;
      const double distance = simd_test::ulp_distance<T>(
          got[k], static_cast<long double>(exact(static_cast<reference>(x[i + k]), static_cast<reference>(y[i + k]))));
      if (distance > largest) largest = distance, where = {x[i + k], y[i + k]};
    }
  }
  MESSAGE(std::string(name), ": ", largest, " ulp at ", static_cast<double>(where.first), ", ",
          static_cast<double>(where.second));
  CHECK(largest <= 4);
}

TEST_CASE("functions of two " KROTON_TEST_NAME " are accurate everywhere") {
  check_pairs(
      "pow", [](const auto& x, const auto& y) { return simd::pow(x, y); },
      [](auto x, auto y) { return std::pow(x, y); });
  check_pairs(
      "atan2", [](const auto& x, const auto& y) { return simd::atan2(x, y); },
      [](auto x, auto y) { return std::atan2(x, y); });
  check_pairs(
      "fmod", [](const auto& x, const auto& y) { return simd::remainder(x, y); },
      [](auto x, auto y) { return std::fmod(x, y); });
}

}  // namespace
