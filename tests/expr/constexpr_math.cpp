#include <kroton/expr/constexpr_math.hpp>

#include "../support.hpp"

#include <numbers>
#include <random>

namespace {

using kt::constexpr_cos, kt::constexpr_exp, kt::constexpr_log, kt::constexpr_pow, kt::constexpr_sin, kt::constexpr_sqrt;
constexpr double inf = test::inf, largest = std::numeric_limits<double>::max(),
                 smallest = std::numeric_limits<double>::min();

// by the compiler, also beyond what fits
static_assert(constexpr_sqrt(8.0) == 0x1.6a09e667f3bcdp+1 && constexpr_sqrt(0) == 0 && constexpr_sqrt(inf) == inf &&
              constexpr_sqrt(-1) != constexpr_sqrt(-1));
static_assert(constexpr_exp(1) == 0x1.5bf0a8b145769p+1 && constexpr_exp(0) == 1 && constexpr_exp(1000) == inf &&
              constexpr_exp(-1000) == 0 && constexpr_exp(-inf) == 0);
static_assert(constexpr_log(2) == 0x1.62e42fefa39efp-1 && constexpr_log(1) == 0 && constexpr_log(0) == -inf &&
              constexpr_log(inf) == inf && constexpr_log(-1) != constexpr_log(-1));
static_assert(constexpr_pow(3, 4) == 81 && constexpr_pow(2, -1074) == test::tiny && constexpr_pow(-2, 3) == -8 &&
              constexpr_pow(10, 400) == inf && constexpr_pow(-10, -401) == 0);
static_assert(constexpr_sin(0) == 0 && constexpr_cos(0) == 1 && constexpr_sin(inf) != constexpr_sin(inf) &&
              constexpr_cos(inf) != constexpr_cos(inf));
static_assert(constexpr_sin(0x1.921fb54442d18p+1) == 0x1.1a62633145c07p-53 && constexpr_cos(1e308) != 2);

/// How far `found` is from `exact`, in units of its last place.
double units(double found, long double exact) {
  const auto nearest = static_cast<double>(exact);
  if (std::isnan(nearest) || std::isinf(nearest) || nearest == 0 || std::isnan(found) || std::isinf(found)) {
    const bool is_same =
        std::isnan(nearest) ? std::isnan(found) : found == nearest && std::signbit(found) == std::signbit(nearest);
    return is_same ? 0 : inf;
  }
  const double size = std::max(std::abs(nearest), smallest),
               unit = std::nextafter(size, 0) == 0 ? test::tiny : size - std::nextafter(size, 0);
  return std::abs(static_cast<double>((static_cast<long double>(found) - exact) / unit)) /
         (size == std::exp2(std::logb(size)) ? 2 : 1);
}

struct furthest {
  double units = 0, at = 0;
};
/// The largest error at numbers of all sizes in (low, high), and at what is special.
template <class Function, class Exact>
furthest error_of(Function function, Exact exact, double low, double high) {
  furthest found;
  const auto look = [&](double x) {
    const double error = units(function(x), exact(static_cast<long double>(x)));
    if (!(error <= found.units)) found = {error, x};
  };
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> evenly(low, high), exponent(-1074, 1024);
  for (int i = 0; i < 20'000; ++i) {
    look(evenly(random));
    look(std::exp2(exponent(random)));
    look(-std::exp2(exponent(random)));
  }
  for (double size : {0.0, 0.5, 1.0, 2.0, 0.78, 3 * std::numbers::pi, 6381956970095103.0 * 0x1p797,
                      std::nextafter(1.0, 0), std::nextafter(1.0, 2), 709.782712893384, 709.7827128933841,
                      708.3964185322641, 745.1332191019412, largest, smallest, test::tiny, inf, test::quiet_nan})
    look(size), look(-size);
  return found;
}

}  // namespace

TEST_CASE("constexpr_math: one rounding of what long double has") {
  const auto check = [](const std::string& name, const furthest& found, double most) {
    CAPTURE(name);
    CAPTURE(found.at);
    CHECK(found.units <= most);
  };
  constexpr double rounded = 0.501;  // of a long double itself, too
  check("sqrt",
        error_of(
            constexpr_sqrt, [](long double x) { return std::sqrt(x); }, 0, 100),
        rounded);
  check("exp",
        error_of(
            constexpr_exp, [](long double x) { return std::exp(x); }, -750, 720),
        rounded);
  check("log",
        error_of(
            constexpr_log, [](long double x) { return std::log(x); }, 0, 4),
        rounded);
  check("sin",
        error_of(
            constexpr_sin, [](long double x) { return std::sin(x); }, -100, 100),
        rounded);
  check("cos",
        error_of(
            constexpr_cos, [](long double x) { return std::cos(x); }, -100, 100),
        rounded);
}

TEST_CASE("constexpr_math: powers") {
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> exponent(-1074, 1024), small(-10, 10);
  double most = 0;
  const auto look = [&](double x, double y) {
    const double error = units(constexpr_pow(x, y), std::pow(static_cast<long double>(x), static_cast<long double>(y)));
    CAPTURE(x);
    CAPTURE(y);
    CHECK(error <= 1);
    most = std::max(most, error);
  };
  for (int i = 0; i < 5'000; ++i) {
    const double x = std::exp2(exponent(random));
    look(x, small(random));
    look(x, small(random) * 700 / std::abs(std::log(x)));
    look(1 + small(random) / 20, 700 * small(random));
    look(-x, std::round(small(random)));
  }
  CHECK(most < 0.51);
  const double special[] = {
      0.0,      0.5,        1.0,    2.0,        3.0,   1.5, std::nextafter(1.0, 0), std::nextafter(1.0, 2), largest,
      smallest, test::tiny, 0x1p53, 0x1p53 - 1, 1e300, inf, test::quiet_nan};
  for (double x : special)
    for (double y : special) look(x, y), look(-x, y), look(x, -y), look(-x, -y);
}

TEST_CASE("constexpr_math: numbers of a function") {
  const auto f = [](kt::var<double, test::n> x) { return x * kt::constexpr_sqrt(8.0) + kt::constexpr_log(2); };
  test::check_tensor(test::eval(f, std::vector{test::vector({0, 1})}), {2},
                     {std::log(2.0), std::sqrt(8.0) + std::log(2.0)});
}
