// What the tests of operations share: functions captured while the test runs, evaluated by the reference
// interpreter.
#pragma once

#include <doctest/doctest.h>
#include <kroton/debug/verify_grad.hpp>

#include <cmath>
#include <limits>
#include <vector>

namespace kt = kroton;

namespace test {

inline constexpr struct n : kt::dim<n> {} n;
inline constexpr struct m : kt::dim<m> {} m;

using tensor = kt::reference::reference_tensor;
using numbers = std::vector<double>;

inline constexpr double inf = std::numeric_limits<double>::infinity();
inline constexpr double quiet_nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double tiny = std::numeric_limits<double>::denorm_min();

/// A vector of integers that doubles may round.
template <class T>
tensor integers(const std::vector<T>& values) {
  tensor t = {{static_cast<std::int64_t>(values.size())}, {}, {}};
  for (T v : values) t.values.push_back(static_cast<double>(v)), t.integers.push_back(static_cast<std::int64_t>(v));
  return t;
}
/// Numbers between -1 and 1.
inline numbers some(std::size_t count, unsigned seed = 1) {
  numbers made(count);
  for (double& x : made) x = static_cast<double>((seed = seed * 1664525u + 1013904223u) >> 8) * 0x1p-23 - 1;
  return made;
}
/// Whether two numbers differ by little, beside their size or beside 1.
inline bool are_near(double a, double b, double tolerance = 1e-6) {
  return std::abs(a - b) <= tolerance * (1 + std::abs(a) + std::abs(b));
}

inline tensor scalar(double value) { return {{}, {value}}; }
inline tensor vector(numbers values) { return {{static_cast<std::int64_t>(values.size())}, std::move(values)}; }
inline tensor matrix(std::int64_t row_count, std::int64_t column_count, numbers values) {
  return {{row_count, column_count}, std::move(values)};
}

// What is not a template is defined once, in support.cpp, because it compiles
// slower than the tests themselves.
kt::reference::results run_graph(const kt::graph::graph& g, const std::vector<tensor>& inputs,
                                 const std::vector<tensor>& shared, const kt::reference::options& options);
kt::debug::gradient_report gradients_of(kt::graph::graph& g, const std::vector<tensor>& inputs,
                                        const kt::debug::verify_options& options);
void check_tensor(const tensor& found, const std::vector<std::int64_t>& extents, const numbers& expected);
void check_values(const tensor& found, const numbers& expected);
void check_report(const kt::debug::gradient_report& report);
/// Ordinary and extreme arguments of a function of one number.
numbers extremes();

/// All outputs and updates of a lambda, or of a member function of a model.
template <class Lambda>
kt::reference::results run(Lambda, const std::vector<tensor>& inputs, const kt::reference::options& options = {}) {
  return kt::typed::with_capture<kt::typed::lambda_function<Lambda>>(
      [&](kt::graph::graph& g) { return run_graph(g, inputs, {}, options); });
}
template <auto Member>
kt::reference::results run(const std::vector<tensor>& inputs, const std::vector<tensor>& shared) {
  return kt::typed::with_capture<kt::typed::member_function<Member>>(
      [&](kt::graph::graph& g) { return run_graph(g, inputs, shared, {}); });
}

/// The first output.
template <class Lambda>
tensor eval(Lambda lambda, const std::vector<tensor>& inputs) {
  return run(lambda, inputs).outputs[0];
}

/// Checks a lambda of one vector against `expected`, a function of one number, on `extremes()`, and on
/// nothing.
template <class Lambda>
void check_unary(Lambda lambda, double (*expected)(double)) {
  numbers results;
  for (double x : extremes()) results.push_back(expected(x));
  check_values(eval(lambda, {vector(extremes())}), results);
  check_tensor(eval(lambda, {vector({})}), {0}, {});
}

/// Checks a lambda of vectors of n and m elements on all pairs of `extremes()`.
template <class Lambda>
void check_binary(Lambda lambda, double (*expected)(double, double)) {
  numbers left, right, results;
  for (double x : extremes())
    for (double y : extremes()) {
      left.push_back(x);
      right.push_back(y);
      results.push_back(expected(x, y));
    }
  check_values(eval(lambda, {vector(left), vector(right)}), results);
  check_tensor(eval(lambda, {vector({}), vector({})}), {0}, {});
}

/// Checks the derivatives of a lambda with differences.
template <class Lambda>
void check_grad(Lambda, const std::vector<tensor>& inputs, const kt::debug::verify_options& options = {}) {
  check_report(kt::typed::with_capture<kt::typed::lambda_function<Lambda>>(
      [&](kt::graph::graph& g) { return gradients_of(g, inputs, options); }));
}

}  // namespace test
