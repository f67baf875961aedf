#include "rewrites.hpp"

using namespace test;

// Sums of several terms in which a constant 1 and what it cancels with are not beside each other.
namespace {

struct constants_around : form {
  static constexpr const char *name = "log(0.25 + x + 0.75)", *node = "log1p";
  static constexpr auto of(const auto& x) { return kt::log(0.25 + x + 0.75); }
  static real value(real x) { return std::log1p(x); }
};
struct constants_that_differ : constants_around {
  static constexpr const char* name = "log(3 - (2 - x))";
  static constexpr auto of(const auto& x) { return kt::log(3 - (2 - x)); }
};
struct several_others : form {
  static constexpr const char *name = "log(1 + x + x / 2)", *node = "log1p";
  static constexpr auto of(const auto& x) { return kt::log(1 + x + x / 2); }
  static real value(real x) { return std::log1p(x + x / 2); }
};
struct minus_in_front : form {
  static constexpr const char *name = "log(-(x - 1))", *node = "log1p";
  static constexpr auto of(const auto& x) { return kt::log(-(x - 1)); }
  static real value(real x) { return std::log1p(-x); }
};
struct exponential_and_constants : form {  // e^800 overflows, and the limit is 800
  static constexpr const char *name = "log(0.5 + exp(x) + 0.5)", *node = "softplus";
  static constexpr auto of(const auto& x) { return kt::log(0.5 + kt::exp(x) + 0.5); }
  static real value(real x) { return softplus_of(x); }
};
struct log_of_exp : form {
  static constexpr const char *name = "log(exp(x)) + 0", *node = "add", *gone = "exp";
  static constexpr auto of(const auto& x) { return kt::log(kt::exp(x)) + 0; }
  static real value(real x) { return x; }
};
struct log_of_reciprocal : form {
  static constexpr const char *name = "log(1 / sigmoid(x))", *node = "softplus";
  static constexpr auto of(const auto& x) { return kt::log(1 / kt::sigmoid(x)); }
  static real value(real x) { return softplus_of(-x); }
};

struct twice_a_product : form {
  static constexpr const char *name = "x * 0.75 + 0.75 * x", *node = "mul", *gone = "add";
  static constexpr bool repairs = false;
  static constexpr auto of(const auto& x) { return x * 0.75 + 0.75 * x; }
  static real value(real x) { return 1.5L * x; }
};

struct exp_with_others : form {
  static constexpr const char *name = "exp(x) + x - 1", *node = "expm1";
  static constexpr auto of(const auto& x) { return kt::exp(x) + x - 1; }
  static real value(real x) { return std::expm1(x) + x; }
};
struct one_minus_exp : form {
  static constexpr const char *name = "1 - exp(x)", *node = "expm1";
  static constexpr auto of(const auto& x) { return 1 - kt::exp(x); }
  static real value(real x) { return -std::expm1(x); }
};
struct exp_and_constants : form {
  static constexpr const char *name = "0.25 - (exp(x) - 0.75)", *node = "expm1";
  static constexpr auto of(const auto& x) { return 0.25 - (kt::exp(x) - 0.75); }
  static real value(real x) { return -std::expm1(x); }
};
struct erf_with_others : form {
  static constexpr const char *name = "x * 1e-30 + 1 - erf(x)", *node = "erfc";
  static constexpr auto of(const auto& x) { return x * 1e-30 + 1 - kt::erf(x); }
  static real value(real x) { return x * 1e-30L + std::erfc(x); }
};
struct sigmoid_and_constants : form {
  static constexpr const char *name = "sigmoid(x) - 0.5 - 0.5", *node = "neg";
  static constexpr auto of(const auto& x) { return kt::sigmoid(x) - 0.5 - 0.5; }
  static real value(real x) { return -sigmoid_of(-x); }
};

using logarithms = form_list<constants_around, constants_that_differ, several_others, minus_in_front,
                             exponential_and_constants, log_of_exp, log_of_reciprocal, twice_a_product>;
using differences =
    form_list<exp_with_others, one_minus_exp, exp_and_constants, erf_with_others, sigmoid_and_constants>;

}  // namespace

TEST_CASE("rewrites of sums: logarithms of sums around 1") { logarithms::check_each(); }
TEST_CASE("rewrites of sums: sums that cancel") { differences::check_each(); }

TEST_CASE("rewrites of sums: constants that are 1 as decimals") {
  const auto written = [](kt::var<double, n> x) { return kt::log(0.1 + x + 0.9); };
  const rewritten_results r = run_both(written, {vector({1e-20, -1, 2, inf, quiet_nan})}, "log1p");
  CHECK(r.fired);
  CHECK(near(r.better.outputs[0][0], 1e-20, 1e-12, tiny));
  CHECK(r.better.outputs[0][1] == r.raw.outputs[0][1]);  // as written where the sum is not near 1
  CHECK(near(r.better.outputs[0][2], std::log(3.0), 1e-15, tiny));
  CHECK(r.better.outputs[0][3] == inf);
  CHECK(std::isnan(r.better.outputs[0][4]));
}

TEST_CASE("rewrites of sums: what keeps a logarithm from 0 stays") {
  const auto guarded = [](kt::var<double, n> p) { return kt::log(1 - p + 1e-20); };
  const rewritten_results r = run_both(guarded, {vector({1, 0.5})}, "");
  CHECK(near(r.better.outputs[0][0], std::log(1e-20), 1e-12, tiny));
  CHECK(near(r.better.outputs[0][1], std::log(0.5), 1e-12, tiny));
}

TEST_CASE("rewrites of sums: all pairs of extremes") {
  check_pairs([](kt::var<double, n> x, kt::var<double, n> y) { return kt::log(1 - x + y); }, "log1p",
              [](real x, real y) {
                const real rest = y - x;
                if (std::fabs(rest) < 0.5L) return std::log1p(rest);
                return std::log(std::fabs(x) > std::fabs(y) ? 1 - x + y : 1 + y - x);
              },
              [](double, double) { return 0.0; });
  check_pairs([](kt::var<double, n> x, kt::var<double, n> y) { return kt::exp(x) + y - 1; }, "expm1",
              [](real x, real y) { return std::expm1(x) + y; },
              [](double, double y) { return 3e-16 * (1 + std::abs(y)); });
}

TEST_CASE("rewrites of sums: the gradient of half a square is what is squared") {
  const auto slope = [](kt::var<double, n> x) { return kt::grad(0.5 * kt::sum(x * x), x) * 3; };
  CHECK(live_after(slope, "add") == 0);
  CHECK(live_after(slope, "mul") == 1);
}

TEST_CASE("rewrites of sums: gradients") {
  const numbers small = {-0.4, -1e-10, 0, 1e-20, 1e-3, 0.3, 2, 40};
  check_slope<constants_around>(small, 1e-10);
  check_slope<several_others>(small, 1e-10);
  check_slope<exp_with_others>({-3, -1e-10, 0, 1e-20, 0.3, 2}, 1e-10);
}

TEST_CASE("rewrites of sums: the gradient does not make a stable form of a stable form") {
  const auto sum_of_three = [](kt::var<double, n> x, kt::var<double, n> y) {
    const auto cost = kt::sum(kt::log(1 + x + y));
    return kt::outputs(cost, kt::grad(cost, x));
  };
  CHECK(live_after(sum_of_three, "log") == 1);
  CHECK(live_after(sum_of_three, "where") == 2);  // of the value and of the slope
}

TEST_CASE("rewrites of sums: compiled, in double") {
  logarithms::check_compiled<double>(1e-12);
  differences::check_compiled<double>(1e-12);
}

TEST_CASE("rewrites of sums: compiled, in float") {
  logarithms::check_compiled<float>(1e-6);
  differences::check_compiled<float>(1e-6);
}
