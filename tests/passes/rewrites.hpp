// What the tests of rewrites share: each rewritten graph is compared, node by node in double, with the graph as written
// and with the right value; and compiled, in float and in double.
#pragma once

#include "../support.hpp"

#include <kroton/kroton.hpp>

#include <algorithm>
#include <numbers>
#include <string>
#include <string_view>

namespace test {

// Values in extended precision.
using real = long double;

inline real log_add(real a, real b) {  // log(e^a + e^b)
  if (a == b) return a + std::numbers::ln2_v<real>;
  return std::max(a, b) + std::log1p(std::exp(-std::fabs(a - b)));
}
inline real softplus_of(real x) { return std::isnan(x) ? x : log_add(0, x); }
inline real sigmoid_of(real x) { return 1 / (1 + std::exp(-x)); }

inline real tail_of(real x) {  // e^(x^2) x sqrt(pi) erfc(x), for large x
  const real r = 1 / (x * x);
  return 1 + r * (-0.5L + r * (0.75L + r * (-1.875L + r * 6.5625L)));
}
inline const real root_of_pi = std::sqrt(std::numbers::pi_v<real>);
inline real gaussian_over_erfc(real x) {
  return x > 100 ? x * root_of_pi / tail_of(x) : std::exp(-x * x) / std::erfc(x);
}
inline real log_erfc(real x) {
  return x > 100 ? -x * x - std::log(x * root_of_pi) + std::log(tail_of(x)) : std::log(std::erfc(x));
}

/// Where formulas overflow, cancel, meet a kink or a value that is no number.
inline const numbers points = {0.0,    -0.0,  0.5,    -0.5,   1.0,     -1.0, 2.5,  -2.5,     1e-3, -1e-3, 1e-10,
                               -1e-10, 1e-20, -1e-20, 9.25,   9.9,     10.5, 20,   -20,      26.6, 27,    30,
                               40,     -40,   90,     -90,    300,     -300, 800,  -800,     1e4,  -1e4,  1e30,
                               -1e30,  tiny,  -tiny,  1e-300, -1e-300, inf,  -inf, quiet_nan};

/// How many nodes of operation `name`, or in all if it is empty, the outputs are made with.
inline int count_live(const kt::graph::graph& g, std::string_view name) {
  std::vector<bool> live(static_cast<std::size_t>(g.size()), false);
  for (int id : g.outputs) live[static_cast<std::size_t>(id)] = true;
  int count = 0;
  for (int id = g.size() - 1; id >= 0; --id) {
    if (!live[static_cast<std::size_t>(id)]) continue;
    count += name.empty() || g.nodes[id].op->name == name;
    for (int i = 0; i < g.nodes[id].count; ++i) live[static_cast<std::size_t>(g.operand(id, i))] = true;
  }
  return count;
}
/// Whether there is one.
inline bool has_node(const kt::graph::graph& g, std::string_view name) { return count_live(g, name) > 0; }
/// How many a function has after the rewrite.
template <class Lambda>
int live_after(Lambda, std::string_view name) {
  kt::graph::graph g;
  kt::passes::rewrite(kt::typed::captured<kt::typed::lambda_function<Lambda>>::value, g);
  return count_live(g, name);
}

/// Equal to `tolerance`, or to a few of the smallest numbers above 0; NaN equals NaN.
inline bool near(double found, double right, double tolerance, double smallest) {
  if (std::isnan(right) || std::isinf(right)) return std::isnan(right) ? std::isnan(found) : found == right;
  return std::abs(found - right) <= tolerance * std::abs(right) + 4 * smallest;
}

struct rewritten_results {
  kt::reference::results raw, better;
  bool fired = true;
};

/// The outputs of a captured function before and after `rewrite`; `fired` says whether the node `name` came by it, or,
/// if that was there, the node `gone` went.
template <class Lambda>
rewritten_results run_both(Lambda, const std::vector<tensor>& inputs, std::string_view name,
                           std::string_view gone = {}) {
  using capture = kt::typed::captured<kt::typed::lambda_function<Lambda>>;
  static_assert(capture::value.problem.what == kt::graph::mistake::none);
  kt::graph::graph raw, better;
  kt::graph::thaw(capture::value, raw);
  kt::passes::rewrite(capture::value, better);
  rewritten_results r{run_graph(raw, inputs, {}, {}), run_graph(better, inputs, {}, {})};
  r.fired =
      has_node(better, name) && (gone.empty() ? !has_node(raw, name) : has_node(raw, gone) && !has_node(better, gone));
  return r;
}

/// Checks a value after a rewrite: where that before is good, it is good; else it is no worse, and right where the
/// other is no number. What is not a number, or infinite, stays so.
inline void check_rewritten(double raw, double better, double right, bool& repaired) {
  const bool was_good = near(raw, right, 1e-13, tiny), is_good = near(better, right, 1e-12, tiny);
  CAPTURE(raw);
  CAPTURE(better);
  CAPTURE(right);
  if (was_good || !std::isfinite(raw) || !std::isfinite(right)) CHECK(is_good);
  else CHECK(std::abs(better - right) <= std::abs(raw - right) + 1e-12 * std::abs(right));
  repaired = repaired || (!was_good && is_good);
}

/// What forms say unless they say something else.
struct form {
  static constexpr const char* gone = "";
  static constexpr bool repairs = true;
};

/// A form is a function of one number: `of(x)` as a user may write it, `value(x)` in extended precision, the `node`
/// that must appear (or that which must be `gone`), and whether it `repairs` a value at one of the points.
template <class Form>
void check_form() {
  const std::string name = Form::name;
  CAPTURE(name);
  const auto written = [](kt::var<double, n> x) { return Form::of(x); };
  const rewritten_results r = run_both(written, {vector(points)}, Form::node, Form::gone);
  CHECK(r.fired);
  bool repaired = false;
  for (std::size_t i = 0; i < points.size(); ++i) {
    CAPTURE(points[i]);
    check_rewritten(r.raw.outputs[0][i], r.better.outputs[0][i], static_cast<double>(Form::value(points[i])), repaired);
  }
  CHECK(repaired == Form::repairs);
}

template <class T>
void check_compiled(const char* name, const kt::tensor<T, 1>& found, const std::vector<T>& x, real (*value)(real),
                    double tolerance, double smallest) {
  const std::string form = name;
  CAPTURE(form);
  for (std::size_t i = 0; i < x.size(); ++i) {
    CAPTURE(x[i]);
    const T right = static_cast<T>(value(x[i]));
    CAPTURE(right);
    const T got = found(static_cast<std::int64_t>(i));
    CAPTURE(got);
    CHECK(near(static_cast<double>(got), static_cast<double>(right), tolerance, smallest));
  }
}

/// All forms in one compiled function of `T`; `tolerance` is relative, and a few times `smallest` absolute.
template <class T, class... Form>
void check_compiled_forms(double tolerance, double smallest) {
  std::vector<T> x;
  for (double p : points) x.push_back(static_cast<T>(p));
  auto f = kt::function([](kt::var<T, n> v) { return kt::outputs(Form::of(v)...); });
  const auto results = f(x);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (check_compiled<T>(Form::name, std::get<I>(results), x, &Form::value, tolerance, smallest), ...);
  }
  (std::index_sequence_for<Form...>{});
}

template <class... Form>
struct form_list {
  static void check_each() { (check_form<Form>(), ...); }
  template <class T>
  static void check_compiled(double tolerance, double smallest = static_cast<double>(std::numeric_limits<T>::min())) {
    check_compiled_forms<T, Form...>(tolerance, smallest);
  }
};

/// A function of all pairs of `points`, before and after the rewrite; `right(x, y)`, and how much more than as written
/// an error may be, `slack(x, y)`.
template <class Lambda, class Right, class Slack>
void check_pairs(Lambda lambda, std::string_view node, Right right, Slack slack) {
  numbers a, b;
  for (double x : points)
    for (double y : points) a.push_back(x), b.push_back(y);
  const rewritten_results r = run_both(lambda, {vector(a), vector(b)}, node);
  CHECK(r.fired);
  bool repaired = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double raw = r.raw.outputs[0][i], better = r.better.outputs[0][i];
    const double value = static_cast<double>(right(static_cast<real>(a[i]), static_cast<real>(b[i])));
    CAPTURE(a[i]);
    CAPTURE(b[i]);
    CAPTURE(raw);
    CAPTURE(better);
    CAPTURE(value);
    if (std::isnan(a[i]) || std::isnan(b[i])) CHECK(std::isnan(better));
    const bool good = near(better, value, 1e-12, tiny);
    if (std::isfinite(raw) && std::isfinite(value))
      CHECK((good || std::abs(better - value) <= std::abs(raw - value) + slack(a[i], b[i])));
    else CHECK((good || (!std::isfinite(raw) && !std::isfinite(better))));
    repaired = repaired || (good && !near(raw, value, 1e-12, tiny));
  }
  CHECK(repaired);
}

/// The gradient of the sum of a form, where differences in extended precision are good.
template <class Form>
void check_slope(const numbers& x, double tolerance) {
  const std::string name = Form::name;
  CAPTURE(name);
  const auto slope = [](kt::var<double, n> v) { return kt::grad(kt::sum(Form::of(v)), v); };
  const rewritten_results r = run_both(slope, {vector(x)}, "");
  for (std::size_t i = 0; i < x.size(); ++i) {
    CAPTURE(x[i]);
    const real h = 1e-6L * (x[i] == 0 ? 1 : std::fabs(static_cast<real>(x[i])));
    const double right = static_cast<double>((Form::value(x[i] + h) - Form::value(x[i] - h)) / (2 * h));
    CAPTURE(right);
    CHECK(std::abs(r.better.outputs[0][i] - right) <= tolerance * std::max(1.0, std::abs(right)));
    CHECK(std::abs(r.raw.outputs[0][i] - right) <=
          tolerance * std::max(1.0, std::abs(right)));  // the gradient is stable as it is
  }
}

}  // namespace test
