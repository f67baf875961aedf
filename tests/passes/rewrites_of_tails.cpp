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
struct scaled_tail : form {
  static constexpr const char *name = "exp(x * x) * erfc(x)", *node = "where";
  static constexpr auto of(const auto& x) { return kt::exp(x * x) * kt::erfc(x); }
  static real value(real x) { return 1 / gaussian_over_erfc(x); }
};
struct log_of_half : form {
  static constexpr const char *name = "log(0.5 * erfc(x))", *node = "where";
  static constexpr auto of(const auto& x) { return kt::log(0.5 * kt::erfc(x)); }
  static real value(real x) { return log_erfc(x) - std::numbers::ln2_v<real>; }
};
struct log_of_quotient : log_of_half {
  static constexpr const char* name = "log(erfc(x) / 2)";
  static constexpr auto of(const auto& x) { return kt::log(kt::erfc(x) / 2); }
};

// each list is one kernel, and compilers need much longer for one that is twice as large
using quotients = form_list<factor_before, factor_between, exponential_last>;
using quotients_below = form_list<factor_below, quotient_below, negative_of_reflected>;
using others = form_list<scaled_tail, log_of_half, log_of_quotient>;

}  // namespace

TEST_CASE("rewrites of tails: values") {
  quotients::check_each();
  quotients_below::check_each();
  others::check_each();
}

TEST_CASE("rewrites of tails: all pairs of extremes") {
  check_pairs([](kt::var<double, n> x, kt::var<double, n> y) { return y * kt::exp(-kt::sqr(x)) / kt::erfc(x); }, "where",
              [](real x, real y) { return y * gaussian_over_erfc(x); }, [](double, double) { return 0.0; });
}

TEST_CASE("rewrites of tails: gradients") {
  const numbers far = {-3, 0, 2, 20, 26, 27, 30, 40, 90, 1e4, 1e30};
  check_slope<factor_before>(far, 1e-8);
  check_slope<quotient_below>(far, 1e-8);
  check_slope<scaled_tail>(far, 1e-8);
  check_slope<log_of_half>(far, 1e-8);
}

TEST_CASE("rewrites of tails: the gradient does not make a stable form of a stable form") {
  const auto tail = [](kt::var<double, n> x) { return kt::grad(kt::sum(kt::log(kt::erfc(x))), x); };
  CHECK(live_after(tail, "less") == 1);
}

TEST_CASE("rewrites of tails: compiled, in double") {
  constexpr double least = 1e-16;  // near 0 the logarithm of erfc is that of a number near 1
  quotients::check_compiled<double>(1e-12, least);
  quotients_below::check_compiled<double>(1e-12, least);
  others::check_compiled<double>(1e-12, least);
}

TEST_CASE("rewrites of tails: compiled, in float") {
  constexpr double rounding = 2e-5;  // of x * x, in an exponential
  quotients::check_compiled<float>(rounding, 6e-8);
  quotients_below::check_compiled<float>(rounding, 6e-8);
  others::check_compiled<float>(rounding, 6e-8);
}

TEST_CASE("rewrites of tails: compiled gradients") {
  const auto check = [](auto zero, double tolerance) {
    using T = decltype(zero);
    auto f = kt::function([](kt::var<T, n> x, kt::var<T, n> y) {
      const auto ratio = kt::sum(y * kt::exp(-kt::sqr(x)) / kt::erfc(x));
      return kt::outputs(kt::grad(ratio, x), kt::grad(ratio, y), kt::grad(kt::sum(kt::log(kt::erfc(x))), x));
    });
    const numbers x = {27, 40, 1e4, 1e15};
    const auto [dx, dy, dlog] = f(std::vector<T>(x.begin(), x.end()), std::vector<T>(x.size(), 2));
    for (std::size_t i = 0; i < x.size(); ++i) {
      CAPTURE(x[i]);
      const auto at = static_cast<std::int64_t>(i);
      const real ratio = gaussian_over_erfc(x[i]), square = static_cast<real>(x[i]) * x[i];
      CHECK(near(static_cast<double>(dy(at)), static_cast<double>(ratio), tolerance, 0));
      const real slope = 2 * root_of_pi * (1 - 0.5L / square + 1.5L / (square * square));
      CHECK(near(static_cast<double>(dx(at)), static_cast<double>(slope), std::max(tolerance, 1e-7), 0));
      CHECK(near(static_cast<double>(dlog(at)), static_cast<double>(-2 / root_of_pi * ratio), tolerance, 0));
    }
  };
  check(0.0, 1e-12);
  check(0.0F, 1e-6);
}
