// Programs whose steps run for one block of rows after the other. Each is compared with the reference, which computes
// all rows of a step before the next, and gives the same bits whatever the number of threads.
#include <kroton/kroton.hpp>
#include <kroton/debug/verify.hpp>
#include "allocations.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace kt = kroton;

namespace {

inline constexpr struct n : kt::dim<n> {} n;
inline constexpr struct m : kt::dim<m> {} m;

/// How many steps of a function can run by blocks of rows.
template <class Function, class Backend>
constexpr int blocked_steps(const kt::runtime::compiled_function<Function, Backend>&) {
  constexpr const auto& program = kt::runtime::function_stats<Function, Backend>::program;
  int count = 0;
  for (int s = 0; s < program.size.steps; ++s) count += program.steps[s].blocked;
  return count;
}

template <class Tensor>
Tensor filled(Tensor made, double most) {
  unsigned bits = 1;
  for (auto& x : made)
    x = static_cast<std::remove_reference_t<decltype(x)>>(
        (static_cast<double>((bits = bits * 1664525u + 1013904223u) >> 8) * 0x1p-23 - 1) * most);
  return made;
}
/// The numbers of all results, in double.
template <class Results>
std::vector<double> values_of(const Results& results) {
  std::vector<double> all;
  const auto add = [&](const auto&... each) { (all.insert(all.end(), each.begin(), each.end()), ...); };
  if constexpr (requires { results.begin(); }) add(results);
  else std::apply(add, results);
  return all;
}
bool have_same_bits(const std::vector<double>& x, const std::vector<double>& y) {
  return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0);
}

template <class T>
using matrix = kt::var<T, n, m>;
template <class T>
using of_columns = kt::var<T, m>;
template <class T>
using of_rows = kt::var<T, n>;

constexpr auto regression = [](matrix<float> x, of_columns<float> w, of_rows<float> y) {
  const auto score = kt::dot(x, w);
  const auto cost = kt::sum(kt::softplus(score) - y * score) / 1000;
  return kt::outputs(kt::grad(cost, w), kt::reshape<1>(cost));
};
constexpr auto least_squares = [](matrix<double> x, of_columns<double> w, of_rows<double> y) {
  return kt::outputs(kt::dot(kt::transpose(x), kt::dot(x, w) - y) * 1e-3);
};
constexpr auto from_the_left = [](matrix<float> x, of_columns<float> w, of_rows<float> y) {
  return kt::outputs(kt::dot(kt::tanh(kt::dot(x, w)) * y, x));
};
constexpr auto of_two_products = [](matrix<float> x, of_columns<float> w, of_rows<float> y) {
  const auto scale = kt::sigmoid(kt::dot(x, kt::sin(w)));
  return kt::outputs(kt::dot(kt::transpose(x), scale * kt::dot(x, w) - y), scale);
};
constexpr auto of_two_columns = [](matrix<float> x, of_columns<float> w, of_rows<float> y) {
  const auto both = kt::dot(x, kt::stack(kt::axis<1>, kt::sin(w), w));
  const auto second = kt::reshape<n>(both[kt::cols<1, 2>()]);
  return kt::outputs(kt::dot(kt::transpose(x), kt::sigmoid(kt::reshape<n>(both[kt::cols<0, 1>()])) * second - y));
};
constexpr auto drawing = [](matrix<float> x, of_columns<float> w, of_rows<float> y) {
  const auto some = kt::nn::dropout(kt::dot(x, w), 0.25);
  return kt::outputs(kt::dot(kt::transpose(x), some - y), some);
};
constexpr auto drawing_alone = [](matrix<float> x, of_columns<float> w) {
  return kt::nn::dropout(kt::dot(x, w), 0.25);
};
/// All rows are reduced in the kernel that writes what the last product reads.
constexpr auto with_totals = [](matrix<float> x, of_columns<float> w, of_rows<float> y) {
  const auto scale = kt::sigmoid(kt::dot(x, w));
  return kt::outputs(kt::dot(kt::transpose(x), scale - y), kt::reshape<1>(kt::max(scale)),
                     kt::reshape<1>(kt::sum(scale) / 100));
};
/// The rows between the products depend on one another, or the matrix is another one.
constexpr auto of_all_rows = [](matrix<float> x, of_columns<float> w, of_rows<float> y) {
  return kt::outputs(kt::dot(kt::transpose(x), kt::nn::softmax(kt::dot(x, w)) - y));
};
constexpr auto of_reversed_rows = [](matrix<float> x, of_columns<float> w, of_rows<float> y) {
  return kt::outputs(kt::dot(kt::transpose(x), kt::flip(kt::dot(x, w), kt::axis<0>) - y));
};
constexpr auto of_another_matrix = [](matrix<float> x, of_columns<float> w, of_rows<float> y) {
  return kt::outputs(kt::dot(kt::transpose(kt::sin(x)), kt::dot(x, w) - y));
};

/// The rows [first, first + count) of a matrix or a vector.
template <class T, int Rank>
kt::tensor<T, Rank> rows_of(const kt::tensor<T, Rank>& x, std::int64_t first, std::int64_t count) {
  auto extents = x.extents();
  const std::int64_t row = x.size() / extents[0];
  extents[0] = count;
  kt::tensor<T, Rank> part(extents);
  std::copy_n(x.data() + first * row, count * row, part.data());
  return part;
}
/// Compares calls with one thread, with three, and of the reference, with matrices that are not divided.
template <class T, class Function>
void check_small(Function& alone, Function& together) {
  constexpr std::int64_t extents[][2] = {{40, 7}, {1, 3}, {0, 5}, {40, 0}};
  for (const auto& each : extents) {
    const std::int64_t count = each[0], width = each[1];
    CAPTURE(count);
    CAPTURE(width);
    const auto x = filled(kt::tensor<T, 2>({count, width}), 0.5);
    const auto w = filled(kt::tensor<T, 1>({width}), 0.2), y = filled(kt::tensor<T, 1>({count}), 1);
    CHECK(have_same_bits(values_of(alone(x, w, y)), values_of(together(x, w, y))));
    const auto found = kt::debug::verify(alone, x, w, y);
    CHECK_MESSAGE(found, found.where, ": ", found.found, " for ", found.expected);
    together(x, w, y);  // so that both draw the same numbers next time
  }
}
template <class T, class Body>
void check_whole(const std::string& name, Body body) {
  CAPTURE(name);
  auto alone = kt::function(body, kt::context::host(1)), together = kt::function(body, kt::context::host(3));
  CHECK(blocked_steps(alone) == 0);
  check_small<T>(alone, together);
}
/// The first result is a sum over rows, so that it must be that of parts of the rows, which are not divided.
/// `expected`: how many steps run by blocks.
template <class T, class Body>
void check(const std::string& name, Body body, int expected, std::int64_t count, std::int64_t width) {
  CAPTURE(name);
  auto alone = kt::function(body, kt::context::host(1)), together = kt::function(body, kt::context::host(3));
  CHECK(blocked_steps(alone) == expected);
  check_small<T>(alone, together);
  const auto x = filled(kt::tensor<T, 2>({count, width}), 0.5);
  const auto w = filled(kt::tensor<T, 1>({width}), 0.2), y = filled(kt::tensor<T, 1>({count}), 1);
  const std::vector<double> found = values_of(alone(x, w, y));
#ifdef KROTON_BLAS
  const bool has_own_sums = width <= 1024;  // what is not divided a CBLAS adds up as its threads divide the rows
#else
  const bool has_own_sums = true;
#endif
  if (has_own_sums) CHECK(have_same_bits(found, values_of(together(x, w, y))));
  std::vector<double> sums(static_cast<std::size_t>(width), 0);
  const std::int64_t half = count / 2 + 1;
  for (std::int64_t first = 0; first < count; first += half) {
    const std::int64_t some = std::min(half, count - first);
    const std::vector<double> part = values_of(alone(rows_of(x, first, some), w, rows_of(y, first, some)));
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += part[j];
  }
  double worst = 0;
  for (std::size_t j = 0; j < sums.size(); ++j) {
    const double error = std::abs(found[j] - sums[j]) / (1 + std::abs(sums[j]));
    if (!(error <= worst)) worst = error;
  }
  CHECK(worst < (sizeof(T) == 4 ? 1e-4 : 1e-12));
}

/// The regression of Theano's tutorial.
struct model : kt::model {
  kt::shared<float, 64> w{this, "w"};
  kt::shared<float> b{this, "b"};

  constexpr auto step(kt::var<float, n, 64> x, kt::var<float, n> y) const {
    const auto p = 1 / (1 + kt::exp(-kt::dot(x, w) - b));
    const auto cost = kt::mean(-y * kt::log(p) - (1 - y) * kt::log(1 - p)) + 0.01f * kt::sum(w * w);
    return kt::outputs(cost).updates(kt::update(w, w - 0.1f * kt::grad(cost, w)),
                                     kt::update(b, b - 0.1f * kt::grad(cost, b)));
  }
};

}  // namespace

TEST_CASE("blocks of rows: products that read a matrix twice") {
  check<float>("regression", regression, 3, 16403, 257);    // blocks and a rest
  check<float>("with totals", with_totals, 3, 4123, 1024);  // short chunks
  check<double>("least squares", least_squares, 2, 8211, 257);
  check<float>("from the left", from_the_left, 3, 16403, 257);
  check<float>("of two products", of_two_products, 4, 16403, 257);
  check<float>("of two columns", of_two_columns, 3, 140'003, 31);
  check<float>("too many columns", regression, 3, 4200, 1025);
}

TEST_CASE("blocks of rows: rows that need one another stay together") {
  check_whole<float>("of all rows", of_all_rows);
  check_whole<float>("of reversed rows", of_reversed_rows);
  check_whole<float>("of another matrix", of_another_matrix);
}

TEST_CASE("blocks of rows: each row draws its own numbers") {
  auto f = kt::function(drawing, kt::context::host(2));
  auto whole = kt::function(drawing_alone, kt::context::host(2));
  CHECK(blocked_steps(f) == 3);
  constexpr std::int64_t count = 16403, width = 257;
  const auto x = filled(kt::tensor<float, 2>({count, width}), 0.5);
  const auto w = filled(kt::tensor<float, 1>({width}), 0.2), y = filled(kt::tensor<float, 1>({count}), 1);
  const auto found = f(x, w, y);
  const auto expected = whole(x, w);
  int different = 0;
  for (std::int64_t i = 0; i < count; ++i)
    different += std::abs(std::get<1>(found).data()[i] - expected.data()[i]) > 1e-5f;
  CHECK(different == 0);
}

TEST_CASE("blocks of rows: a step of a model changes its variables in place, and allocates nothing") {
  kt::session<model> session(kt::context::host(2));
  auto step = session.compile<&model::step>();
  CHECK(blocked_steps(step) == 3);
  constexpr std::int64_t count = 70'000, width = 64;
  const auto x = filled(kt::tensor<float, 2>({count, width}), 0.5);
  const auto y = filled(kt::tensor<float, 1>({count}), 1), start = filled(kt::tensor<float, 1>({width}), 0.2);
  session.set<&model::w>(start);
  double cost = 0, of_b = 0, of_w[width] = {};
  for (std::int64_t i = 0; i < count; ++i) {
    double score = 0;
    for (int j = 0; j < width; ++j) score += static_cast<double>(x.data()[i * width + j]) * start.data()[j];
    const double slope = 1 / (1 + std::exp(-score)) - y.data()[i];
    cost += std::log1p(std::exp(score)) - y.data()[i] * score;
    of_b += slope;
    for (int j = 0; j < width; ++j) of_w[j] += slope * x.data()[i * width + j];
  }
  double squares = 0;
  for (const float each : start) squares += static_cast<double>(each) * each;
  CHECK(step(x, y) == doctest::Approx(cost / count + 0.01 * squares).epsilon(1e-5));
  CHECK(session.get<&model::b>() == doctest::Approx(-0.1 * of_b / count).epsilon(1e-5));
  const auto w = session.get<&model::w>();
  for (int j = 0; j < width; ++j)
    CHECK(w.data()[j] == doctest::Approx(start.data()[j] * 0.998 - 0.1 * of_w[j] / count).epsilon(1e-5));
  const long before = allocations;
  float last = 0;
  for (int i = 0; i < 10; ++i) last = step(x, y);
  CHECK(allocations == before);
  CHECK(last < cost / count + 0.01 * squares);
  CHECK(step.memory_plan(n(count)).peak == (4 * count + 63) / 64 * 64 + 64);  // a vector of the rows, and a number
}
