#include "rewrites_of_rows.hpp"

using namespace test;

// Forms of two numbers or of rows.
namespace {

const auto sum_of_exp = [](kt::var<double, n> a, kt::var<double, n> b) { return kt::log(kt::exp(a) + kt::exp(b)); };

/// Checks a function of the rows whose result has an element for each (`wide` false) or for each number.
template <class Lambda, class Value>
bool check_rows(Lambda lambda, bool wide, std::string_view node, std::string_view gone, Value value) {
  const rewritten_results r = run_both(lambda, {rows_tensor()}, node, gone);
  CHECK(r.fired);
  bool repaired = false;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < (wide ? 3 : 1); ++j) {
      CAPTURE(i);
      CAPTURE(j);
      const std::size_t at = wide ? 3 * i + j : i;
      check_rewritten(r.raw.outputs[0][at], r.better.outputs[0][at], static_cast<double>(value(rows[i], j)), repaired);
    }
  return repaired;
}

}  // namespace

TEST_CASE("rewrites: log(exp(a) + exp(b))") {
  numbers a, b;
  for (double x : points)
    for (double y : points) a.push_back(x), b.push_back(y);
  const rewritten_results r = run_both(sum_of_exp, {vector(a), vector(b)}, "softplus");
  CHECK(r.fired);
  bool repaired = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    CAPTURE(a[i]);
    CAPTURE(b[i]);
    const real right = std::isnan(a[i]) || std::isnan(b[i]) ? quiet_nan : log_add(a[i], b[i]);
    check_rewritten(r.raw.outputs[0][i], r.better.outputs[0][i], static_cast<double>(right), repaired);
  }
  CHECK(repaired);
  // derivatives, also where both are the same
  const tensor left = vector({1, 1, 800, -800, 3}), right = vector({1, 2, 800, 800, -1});
  const auto slopes = [](kt::var<double, n> x, kt::var<double, n> y) {
    const auto cost = kt::sum(kt::log(kt::exp(x) + kt::exp(y)));
    const auto dx = kt::grad(cost, x);
    return kt::outputs(dx, kt::grad(cost, y), kt::grad(kt::sum(dx), x));
  };
  const auto found = run(slopes, {left, right});
  for (std::size_t i = 0; i < 5; ++i) {
    CAPTURE(i);
    const real s = sigmoid_of(left[i] - right[i]);
    CHECK(near(found.outputs[0][i], static_cast<double>(s), 1e-12, tiny));
    CHECK(near(found.outputs[1][i], static_cast<double>(sigmoid_of(right[i] - left[i])), 1e-12, tiny));
    CHECK(near(found.outputs[2][i], static_cast<double>(s * (1 - s)), 1e-12, tiny));
  }
}

TEST_CASE("rewrites: log(sum(exp(x))), over one axis, all axes, with keep_dims") {
  const auto value = [](const numbers& row, std::size_t) { return log_sum_exp(row); };
  CHECK(check_rows([](kt::var<double, n, 3> x) { return kt::log(kt::sum(kt::exp(x), kt::axis<1>)); }, false, "max", "",
                   value));
  CHECK(check_rows([](kt::var<double, n, 3> x) { return kt::log(kt::sum(kt::exp(x), kt::axis<1>, kt::keep_dims)); },
                   false, "max", "", value));
  const auto all = [](kt::var<double, n> x) { return kt::log(kt::sum(kt::exp(x))); };
  for (const numbers& row : rows) {
    const rewritten_results r = run_both(all, {vector(row)}, "max");
    bool repaired = false;
    check_rewritten(r.raw.outputs[0][0], r.better.outputs[0][0], static_cast<double>(log_sum_exp(row)), repaired);
  }
  const rewritten_results nothing = run_both(all, {vector({})}, "max");
  CHECK(nothing.better.outputs[0][0] == -inf);
}

TEST_CASE("rewrites: softmax and its logarithm") {
  const auto softmax_value = [](const numbers& row, std::size_t j) {
    const real x = row[j];
    for (double other : row)
      if (std::isnan(other)) return static_cast<real>(quiet_nan);
    if (std::isinf(x)) return x > 0 || log_sum_exp(row) == -inf ? static_cast<real>(quiet_nan) : 0;  // inf / inf, 0 / 0
    return std::exp(-log_sum_exp(row, x));
  };
  const auto log_value = [](const numbers& row, std::size_t j) {
    return std::isinf(row[j]) ? row[j] - log_sum_exp(row) : -log_sum_exp(row, row[j]);
  };
  CHECK(check_rows([](kt::var<double, n, 3> x) { return kt::exp(x) / kt::sum(kt::exp(x), kt::axis<1>, kt::keep_dims); },
                   true, "max", "", softmax_value));
  CHECK(check_rows(
      [](kt::var<double, n, 3> x) {
        const auto e = kt::exp(x);
        return e / kt::broadcast_to<n, 3>(kt::sum(e, kt::axis<1>, kt::keep_dims));
      },
      true, "max", "", softmax_value));
  CHECK(check_rows(
      [](kt::var<double, n, 3> x) { return kt::log(kt::exp(x) / kt::sum(kt::exp(x), kt::axis<1>, kt::keep_dims)); },
      true, "max", "", log_value));
}

TEST_CASE("rewrites: a quotient by the sum of other rows is no softmax") {
  const tensor x = matrix(2, 2, {0, 1, 2, 3});
  const auto across = [](kt::var<double, 2, 2> v) { return kt::exp(v) / kt::sum(kt::exp(v), kt::axis<1>); };
  const auto logarithm = [](kt::var<double, 2, 2> v) { return kt::log(kt::exp(v) / kt::sum(kt::exp(v), kt::axis<1>)); };
  numbers right;
  for (double v : x.values) right.push_back(v);
  const double sums[] = {std::exp(0.0) + std::exp(1.0), std::exp(2.0) + std::exp(3.0)};
  const rewritten_results quotients = run_both(across, {x}, ""), logarithms_of = run_both(logarithm, {x}, "");
  for (std::size_t i = 0; i < 4; ++i) {
    const double value = std::exp(x[i]) / sums[i % 2];  // as NumPy aligns: column j by the sum of row j
    CHECK(near(quotients.better.outputs[0][i], value, 1e-12, tiny));
    CHECK(near(logarithms_of.better.outputs[0][i], std::log(value), 1e-12, tiny));
  }
  // along the first axis it is one, without keep_dims
  const auto columns = [](kt::var<double, n, 2> v) { return kt::exp(v) / kt::sum(kt::exp(v), kt::axis<0>); };
  const rewritten_results r = run_both(columns, {matrix(2, 2, {800, 0, 799, 800})}, "max");
  CHECK(r.fired);
  CHECK(near(r.better.outputs[0][0], static_cast<double>(sigmoid_of(1)), 1e-12, tiny));
  CHECK(r.better.outputs[0][1] == 0);
}

TEST_CASE("rewrites: cross-entropy and its gradient, softmax - one-hot") {
  const auto library = [](kt::var<double, n, 3> z, kt::var<int, n> label) {
    const auto cost = kt::nn::cross_entropy(z, label);
    return kt::outputs(cost, kt::grad(kt::sum(cost), z));
  };
  const auto written = [](kt::var<double, n, 3> z, kt::var<int, n> label) {
    const auto p = kt::exp(z) / kt::sum(kt::exp(z), kt::axis<1>, kt::keep_dims);
    const auto cost = -kt::pick(kt::log(p), label);
    return kt::outputs(cost, kt::grad(kt::sum(cost), z));
  };
  std::vector<numbers> finite;
  numbers all, labels;
  for (const numbers& row : rows)
    if (std::all_of(row.begin(), row.end(), [](double v) { return std::isfinite(v); }))
      for (int label = 0; label < 3; ++label) {
        finite.push_back(row);
        all.insert(all.end(), row.begin(), row.end());
        labels.push_back(label);
      }
  const std::vector<tensor> inputs = {matrix(static_cast<std::int64_t>(finite.size()), 3, all), vector(labels)};
  const auto check = [&](const kt::reference::results& found) {
    for (std::size_t i = 0; i < finite.size(); ++i) {
      CAPTURE(i);
      const std::size_t label = static_cast<std::size_t>(labels[i]);
      // a cost near 0 is what is left of numbers as large as the scores
      const double largest = *std::max_element(finite[i].begin(), finite[i].end());
      const double cost = static_cast<double>(log_sum_exp(finite[i], finite[i][label]));
      CHECK(std::abs(found.outputs[0][i] - cost) <= 1e-14 * std::abs(largest) + 1e-12 * cost);
      for (std::size_t j = 0; j < 3; ++j) {
        const real p = std::exp(-log_sum_exp(finite[i], finite[i][j])) - (j == label ? 1 : 0);
        CHECK(std::abs(found.outputs[1][3 * i + j] - static_cast<double>(p)) <= 1e-14);
      }
    }
  };
  const auto before_and_after = [&](auto lambda) {
    const rewritten_results r = run_both(lambda, inputs, "");
    check(r.better);
    return r;
  };
  before_and_after(library);
  before_and_after(written);
}

TEST_CASE("rewrites: logarithms of selections") {
  const auto selections = [](kt::var<double, n, 3> x, kt::var<int, m> index) {
    const auto p = kt::nn::softmax(x);
    return kt::outputs(kt::log(kt::take(p, index)), kt::log(p[kt::cols(1, 3)]), kt::log(kt::reshape<3, n>(p)),
                       kt::log(kt::broadcast_to<2, n, 3>(p)), kt::grad(kt::sum(kt::log(kt::take(p, index))), x),
                       kt::log(kt::where(x > 0, kt::exp(x), kt::sigmoid(x))));
  };
  const rewritten_results r = run_both(selections, {matrix(2, 3, {800, 0, -800, 0, 0, 0}), vector({0, 1, 0})}, "");
  const double third = std::log(3.0);
  const numbers right[] = {{0, -800, -1600, -third, -third, -third, 0, -800, -1600},
                           {-800, -1600, -third, -third},
                           {0, -800, -1600, -third, -third, -third},
                           {0, -800, -1600, -third, -third, -third, 0, -800, -1600, -third, -third, -third},
                           {2 * (1 - 3), 2, 2, 0, 0, 0},
                           {800, -std::log(2.0), -800, -std::log(2.0), -std::log(2.0), -std::log(2.0)}};
  for (std::size_t k = 0; k < std::size(right); ++k) {
    CAPTURE(k);
    REQUIRE(r.better.outputs[k].values.size() == right[k].size());
    for (std::size_t i = 0; i < right[k].size(); ++i) CHECK(std::abs(r.better.outputs[k][i] - right[k][i]) <= 1e-13);
  }
}

TEST_CASE("rewrites: binary cross-entropy by a choice") {
  const auto written = [](kt::var<double, n> x, kt::var<int, n> label) {
    const auto p = kt::sigmoid(x);
    const auto cost = -kt::log(kt::where(label == 1, p, 1 - p));
    return kt::outputs(cost, kt::grad(kt::sum(cost), x));
  };
  for (int label = 0; label < 2; ++label) {
    const rewritten_results r = run_both(written, {vector(points), vector(numbers(points.size(), label))}, "softplus");
    CHECK(r.fired);
    for (std::size_t i = 0; i < points.size(); ++i) {
      CAPTURE(points[i]);
      const real x = label == 1 ? -points[i] : points[i];
      CHECK(near(r.better.outputs[0][i], static_cast<double>(softplus_of(x)), 1e-12, tiny));
      CHECK(near(r.better.outputs[1][i], static_cast<double>(label == 1 ? -sigmoid_of(x) : sigmoid_of(x)), 1e-12,
                 1e-307));
    }
  }
}

TEST_CASE("rewrites: what is no selection of one element, or asked for itself, stays") {
  const auto others = [](kt::var<double, n, 3> x, kt::var<int, n> label) {
    const auto p = kt::nn::softmax(x);
    const auto chosen = kt::one_hot<3, double>(label);
    return kt::outputs(kt::log(kt::sum(kt::where(x > 0, p, 0), kt::axis<1>)), kt::log(kt::sum(kt::pick(p, label))),
                       kt::log(kt::sum(kt::sigmoid(x) * chosen, kt::axis<1>)),
                       kt::log(kt::sum(p * chosen, kt::axis<0>)), kt::grad(kt::sum(-kt::log(kt::pick(p, label))), p));
  };
  const rewritten_results r = run_both(others, {matrix(2, 3, {1, 2, -1, 0.5, quiet_nan, 1}), vector({1, 0})}, "");
  for (std::size_t k = 0; k < 5; ++k)
    for (std::size_t i = 0; i < r.raw.outputs[k].values.size(); ++i) {
      CAPTURE(k);
      CAPTURE(i);
      CHECK(near(r.better.outputs[k][i], r.raw.outputs[k][i], 1e-14, tiny));
    }
  CHECK(std::isnan(r.better.outputs[2][1]));  // of a row with a NaN beside the element
  CHECK(near(r.better.outputs[4][1], static_cast<double>(-std::exp(log_sum_exp({1, 2, -1}, 2))), 1e-14, tiny));
}

TEST_CASE("rewrites: compiled softmax, its logarithm and cross-entropy") {
  const auto check = [](auto zero, double tolerance) {
    using T = decltype(zero);
    auto f = kt::function([](kt::var<T, n, 3> z, kt::var<int, n> label) {
      const auto p = kt::exp(z) / kt::sum(kt::exp(z), kt::axis<1>, kt::keep_dims);
      const auto cost = -kt::pick(kt::log(p), label);
      return kt::outputs(p, kt::log(kt::sum(kt::exp(z), kt::axis<1>)), cost, kt::grad(kt::sum(cost), z));
    });
    kt::tensor<T, 2> z({static_cast<std::int64_t>(rows.size()), 3});
    std::size_t at = 0;
    for (const numbers& row : rows)
      for (double x : row) z.data()[at++] = static_cast<T>(x);
    const auto [p, total, cost, slope] = f(z, std::vector<int>(rows.size(), 1));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (std::any_of(rows[i].begin(), rows[i].end(), [](double v) { return !std::isfinite(v); })) continue;
      CAPTURE(i);
      const auto row = static_cast<std::int64_t>(i);
      CHECK(near(static_cast<double>(total(row)), static_cast<double>(log_sum_exp(rows[i])), tolerance, tolerance));
      CHECK(near(static_cast<double>(cost(row)), static_cast<double>(log_sum_exp(rows[i], rows[i][1])), tolerance,
                 tolerance));
      for (std::size_t j = 0; j < 3; ++j) {
        const double right = static_cast<double>(std::exp(-log_sum_exp(rows[i], rows[i][j])));
        const auto column = static_cast<std::int64_t>(j);
        CHECK(near(static_cast<double>(p(row, column)), right, tolerance, 1e-30));
        CHECK(near(static_cast<double>(slope(row, column)), right - (j == 1 ? 1 : 0), tolerance, tolerance));
      }
    }
  };
  check(0.0, 1e-13);
  check(0.0F, 1e-5);
}
