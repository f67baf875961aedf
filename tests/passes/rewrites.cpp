#include "rewrites.hpp"

using namespace test;

// Each form is a formula of one number that a rewrite replaces, and its value in extended precision.
namespace {

struct log_of_one_plus : form {
  static constexpr const char *name = "log(1 + x)", *node = "log1p";
  static constexpr auto of(const auto& x) { return kt::log(1 + x); }
  static real value(real x) { return std::log1p(x); }
};
struct log_of_plus_one : log_of_one_plus {
  static constexpr const char* name = "log(x + 1)";
  static constexpr auto of(const auto& x) { return kt::log(x + 1); }
};
struct log_of_one_minus : form {
  static constexpr const char *name = "log(1 - x)", *node = "log1p";
  static constexpr auto of(const auto& x) { return kt::log(1 - x); }
  static real value(real x) { return std::log1p(-x); }
};
struct log_of_one_minus_minus : log_of_one_plus {
  static constexpr const char* name = "log(1 - -x)";
  static constexpr auto of(const auto& x) { return kt::log(1 - -x); }
};
struct log_of_one_plus_exp : form {  // e^800 overflows, and the limit is 800
  static constexpr const char *name = "log(1 + exp(x))", *node = "softplus";
  static constexpr auto of(const auto& x) { return kt::log(1 + kt::exp(x)); }
  static real value(real x) { return softplus_of(x); }
};
struct log1p_of_exp : log_of_one_plus_exp {
  static constexpr const char* name = "log1p(exp(x))";
  static constexpr auto of(const auto& x) { return kt::log1p(kt::exp(x)); }
};
struct log_of_sigmoid : form {  // the sigmoid of -800 is 0, and the logarithm -800
  static constexpr const char *name = "log(sigmoid(x))", *node = "softplus";
  static constexpr auto of(const auto& x) { return kt::log(kt::sigmoid(x)); }
  static real value(real x) { return -softplus_of(-x); }
};
struct log_of_sigmoid_as_written : log_of_sigmoid {
  static constexpr const char* name = "log(1 / (1 + exp(-x)))";
  static constexpr auto of(const auto& x) { return kt::log(1 / (1 + kt::exp(-x))); }
};
struct log_of_one_minus_sigmoid : form {
  static constexpr const char *name = "log(1 - sigmoid(x))", *node = "softplus";
  static constexpr auto of(const auto& x) { return kt::log(1 - kt::sigmoid(x)); }
  static real value(real x) { return -softplus_of(x); }
};
struct log1p_of_minus_sigmoid : log_of_one_minus_sigmoid {
  static constexpr const char* name = "log1p(-sigmoid(x))";
  static constexpr auto of(const auto& x) { return kt::log1p(-kt::sigmoid(x)); }
};
struct sigmoid_by_quotient : form {  // inf / inf at 800, and the limit is 1
  static constexpr const char *name = "exp(x) / (1 + exp(x))", *node = "sigmoid";
  static constexpr auto of(const auto& x) { return kt::exp(x) / (1 + kt::exp(x)); }
  static real value(real x) { return sigmoid_of(x); }
};
struct sigmoid_by_reciprocal : form {
  static constexpr const char *name = "1 / (1 + exp(-x))", *node = "sigmoid";
  static constexpr bool repairs = false;
  static constexpr auto of(const auto& x) { return 1 / (kt::exp(-x) + 1); }
  static real value(real x) { return sigmoid_of(x); }
};
struct sigmoid_reversed : form {
  static constexpr const char *name = "1 / (1 + exp(x))", *node = "sigmoid";
  static constexpr bool repairs = false;
  static constexpr auto of(const auto& x) { return 1 / (1 + kt::exp(x)); }
  static real value(real x) { return sigmoid_of(-x); }
};
struct sigmoid_scaled : form {
  static constexpr const char *name = "3 / (1 + exp(x))", *node = "sigmoid";
  static constexpr bool repairs = false;
  static constexpr auto of(const auto& x) { return 3 / (1 + kt::exp(x)); }
  static real value(real x) { return 3 * sigmoid_of(-x); }
};
struct sigmoid_by_product : form {  // inf * 0 at 800
  static constexpr const char *name = "exp(x) * sigmoid(-x)", *node = "sigmoid", *gone = "exp";
  static constexpr auto of(const auto& x) { return kt::exp(x) * kt::sigmoid(-x); }
  static real value(real x) { return sigmoid_of(x); }
};
struct one_minus_sigmoid : form {  // 0 at 40, and the limit is e^-40
  static constexpr const char *name = "1 - sigmoid(x)", *node = "neg";
  static constexpr auto of(const auto& x) { return 1 - kt::sigmoid(x); }
  static real value(real x) { return sigmoid_of(-x); }
};
struct exp_minus_one : form {
  static constexpr const char *name = "exp(x) - 1", *node = "expm1";
  static constexpr auto of(const auto& x) { return kt::exp(x) - 1; }
  static real value(real x) { return std::expm1(x); }
};
struct minus_one_plus_exp : exp_minus_one {
  static constexpr const char* name = "-1 + exp(x)";
  static constexpr auto of(const auto& x) { return -1 + kt::exp(x); }
};

using logarithms = form_list<log_of_one_plus, log_of_plus_one, log_of_one_minus, log_of_one_minus_minus,
                             log_of_one_plus_exp, log1p_of_exp, log_of_sigmoid, log_of_sigmoid_as_written,
                             log_of_one_minus_sigmoid, log1p_of_minus_sigmoid>;
using sigmoids = form_list<sigmoid_by_quotient, sigmoid_by_reciprocal, sigmoid_reversed, sigmoid_scaled,
                           sigmoid_by_product, one_minus_sigmoid>;
using differences = form_list<exp_minus_one, minus_one_plus_exp>;

}  // namespace

TEST_CASE("rewrites: logarithms") { logarithms::check_each(); }
TEST_CASE("rewrites: sigmoids") { sigmoids::check_each(); }
TEST_CASE("rewrites: differences that cancel") { differences::check_each(); }

TEST_CASE("rewrites: a masked gradient keeps out what was not chosen") {
  const auto slope = [](kt::var<double, n> x) {
    return kt::grad(kt::sum(kt::where(x > 0, kt::log(x) * kt::sqrt(x), 0)), x);
  };
  const rewritten_results r = run_both(slope, {vector({-1, 0, 1, 4, inf, quiet_nan})}, "");
  const numbers right = {0, 0, 1, (std::log(4.0) / 2 + 1) / 2, 0, 0};
  for (std::size_t i = 0; i < 4; ++i) CHECK(near(r.better.outputs[0][i], right[i], 1e-12, tiny));
  CHECK(r.better.outputs[0][5] == 0);  // NaN > 0 is false, and the branch that was taken is 0
}

TEST_CASE("rewrites: slopes of stable forms are those of the limits") {
  const auto check = [](auto lambda, real (*value)(real)) {
    const rewritten_results r = run_both(lambda, {vector(points)}, "");
    for (std::size_t i = 0; i < points.size(); ++i) {
      CAPTURE(points[i]);
      CHECK(near(r.better.outputs[0][i], static_cast<double>(value(points[i])), 1e-12,
                 std::numeric_limits<double>::min()));
    }
  };
  check([](kt::var<double, n> x) { return kt::grad(kt::sum(kt::log(1 + kt::exp(x))), x); },
        [](real x) { return sigmoid_of(x); });
  check([](kt::var<double, n> x) { return kt::grad(kt::sum(kt::log(kt::sigmoid(x))), x); },
        [](real x) { return sigmoid_of(-x); });
  check([](kt::var<double, n> x) { return kt::grad(kt::sum(kt::log(1 - kt::sigmoid(x))), x); },
        [](real x) { return -sigmoid_of(x); });
  check([](kt::var<double, n> x) { return kt::grad(kt::sum(kt::log(kt::erfc(x))), x); },
        [](real x) { return -2 / root_of_pi * gaussian_over_erfc(x); });
  // the second one of log(erfc(x)), which tends to -2
  const auto curvature = [](kt::var<double, n> x) {
    return kt::grad(kt::sum(kt::grad(kt::sum(kt::log(kt::erfc(x))), x)), x);
  };
  const numbers x = {-3, 0, 2, 20, 26, 27, 30, 90};
  const rewritten_results r = run_both(curvature, {vector(x)}, "");
  for (std::size_t i = 0; i < x.size(); ++i) {
    CAPTURE(x[i]);
    const real h = 2 / root_of_pi * gaussian_over_erfc(x[i]);
    CHECK(std::abs(r.better.outputs[0][i] - static_cast<double>(-h * (h - 2 * x[i]))) < 1e-9 * (1 + x[i] * x[i]));
  }
}

TEST_CASE("rewrites: compiled, in double") {
  logarithms::check_compiled<double>(1e-12);
  sigmoids::check_compiled<double>(1e-12);
  differences::check_compiled<double>(1e-12);
}
TEST_CASE("rewrites: compiled, in float") {
  logarithms::check_compiled<float>(1e-6);
  sigmoids::check_compiled<float>(1e-6);
  differences::check_compiled<float>(1e-6);
}
