#include "rewrites.hpp"

using namespace test;

// Products in which a gaussian and the erfc that cancels it are not beside each other.
namespace {

struct factor_before : form {  // 0 * 2 / 0 at 40, and the limit is 2 x sqrt(pi)
  static constexpr const char *name = "2 * exp(-x * x) / erfc(x)", *node = "where";
  static constexpr auto of(const auto& x) { return 2 * kt::exp(-x * x) / kt::erfc(x); }
  static real value(real x) { return 2 * gaussian_over_erfc(x); }
};
struct factor_between : factor_before {
  static constexpr const char* name = "exp(-sqr(x)) * 2 / erfc(x)";
  static constexpr auto of(const auto& x) { return kt::exp(-kt::sqr(x)) * 2 / kt::erfc(x); }
};
struct exponential_last : factor_before {
  static constexpr const char* name = "2 / erfc(x) * exp(-(x * x))";
  static constexpr auto of(const auto& x) { return 2 / kt::erfc(x) * kt::exp(-(x * x)); }
};
struct factor_below : factor_before {
  static constexpr const char* name = "exp(-pow(x, 2)) / (0.5 * erfc(x))";
  static constexpr auto of(const auto& x) { return kt::exp(-kt::pow(x, 2)) / (0.5 * kt::erfc(x)); }
};
struct quotient_below : factor_before {
  static constexpr const char* name = "2 / (erfc(x) / exp(x * -x))";
  static constexpr auto of(const auto& x) { return 2 / (kt::erfc(x) / kt::exp(x * -x)); }
};
struct negative_of_reflected : form {
  static constexpr const char *name = "-exp(-x * x) / erfc(-x)", *node = "where";
  static constexpr auto of(const auto& x) { return -kt::exp(-x * x) / kt::erfc(-x); }
  static real value(real x) { return -gaussian_over_erfc(-x); }
};

// each list is one kernel, and compilers need much longer for one that is twice as large
using quotients = form_list<factor_before, factor_between, exponential_last>;
using quotients_below = form_list<factor_below, quotient_below, negative_of_reflected>;

}  // namespace

TEST_CASE("rewrites of tails: values") {
  quotients::check_each();
  quotients_below::check_each();
}

TEST_CASE("rewrites of tails: all pairs of extremes") {
  check_pairs([](kt::var<double, n> x, kt::var<double, n> y) { return y * kt::exp(-kt::sqr(x)) / kt::erfc(x); },
              "where", [](real x, real y) { return y * gaussian_over_erfc(x); }, [](double, double) { return 0.0; });
}

TEST_CASE("rewrites of tails: gradients") {
  const numbers far = {-3, 0, 2, 20, 26, 27, 30, 40, 90, 1e4, 1e30};
  check_slope<factor_before>(far, 1e-8);
  check_slope<quotient_below>(far, 1e-8);
}

TEST_CASE("rewrites of tails: compiled, in double") {
  constexpr double least = 1e-16;  // near 0 the logarithm of erfc is that of a number near 1
  quotients::check_compiled<double>(1e-12, least);
  quotients_below::check_compiled<double>(1e-12, least);
}

TEST_CASE("rewrites of tails: compiled, in float") {
  constexpr double rounding = 2e-5;  // of x * x, in an exponential
  quotients::check_compiled<float>(rounding, 6e-8);
  quotients_below::check_compiled<float>(rounding, 6e-8);
}
