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

/// Where formulas overflow, cancel, meet a kink or a value that is no number.
inline const numbers points = {0.0,   -0.0,  0.5,  -0.5,  1.0,  -1.0,  2.5,   -2.5,   1e-3,  -1e-3, 1e-10,  -1e-10, 1e-20,   -1e-20,
                               9.25,  9.9,   10.5, 20,    -20,  26.6,  27,    30,     40,    -40,   90,     -90,    300,     -300,
                               800,   -800,  1e4,  -1e4,  1e30, -1e30, tiny,  -tiny,  1e-300, -1e-300, inf, -inf,   quiet_nan};

/// Whether an output is made with operation `name`.
inline bool has_node(const kt::graph& g, std::string_view name) {
  std::vector<bool> live(static_cast<std::size_t>(g.size()), false);
  for (int id : g.outputs) live[static_cast<std::size_t>(id)] = true;
  for (int id = g.size() - 1; id >= 0; --id) {
    if (!live[static_cast<std::size_t>(id)]) continue;
    if (g.nodes[id].op->name == name) return true;
    for (int i = 0; i < g.nodes[id].count; ++i) live[static_cast<std::size_t>(g.operand(id, i))] = true;
  }
  return false;
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

/// The outputs of a captured function before and after `rewrite`; `fired` says whether the node `name` came by it, or, if that was
/// there, the node `gone` went.
template <class Lambda>
rewritten_results run_both(Lambda, const std::vector<tensor>& inputs, std::string_view name, std::string_view gone = {}) {
  using capture = kt::captured<kt::lambda_function<Lambda>>;
  static_assert(capture::value.problem.what == kt::mistake::none);
  kt::graph raw, better;
  kt::thaw(capture::value, raw);
  kt::rewrite(capture::value, better);
  rewritten_results r{run_graph(raw, inputs, {}, {}), run_graph(better, inputs, {}, {})};
  r.fired = has_node(better, name) && (gone.empty() ? !has_node(raw, name) : has_node(raw, gone) && !has_node(better, gone));
  return r;
}

/// Checks a value after a rewrite: where that before is good, it is good; else it is no worse, and right where the other is
/// no number. What is not a number, or infinite, stays so.
inline void check_rewritten(double raw, double better, double right, bool& repaired) {
  const bool was_good = near(raw, right, 1e-13, tiny), is_good = near(better, right, 1e-12, tiny);
  CAPTURE(raw);
  CAPTURE(better);
  CAPTURE(right);
  if (was_good || !std::isfinite(raw) || !std::isfinite(right))
    CHECK(is_good);
  else
    CHECK(std::abs(better - right) <= std::abs(raw - right) + 1e-12 * std::abs(right));
  repaired = repaired || (!was_good && is_good);
}

/// A form is a function of one number: `of(x)` as a user may write it, `value(x)` in extended precision, the `node` that must
/// appear (or that which must be `gone`), and whether it `repairs` a value at one of the points.
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
  }(std::index_sequence_for<Form...>{});
}

}  // namespace test
