// Programs whose steps run for one block of rows after the other. Each is compared with the reference, which computes
// all rows of a step before the next, and gives the same bits whatever the number of threads.
#include <kroton/kroton.hpp>
#include <kroton/debug/verify.hpp>
#include "allocations.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <limits>
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
  return kt::outputs(kt::reshape<1>(cost), kt::grad(cost, w));
};
constexpr auto least_squares = [](matrix<double> x, of_columns<double> w, of_rows<double> y) {
  return kt::outputs(w - kt::dot(kt::transpose(x), kt::dot(x, w) - y) * 1e-3);
};
constexpr auto from_the_left = [](matrix<float> x, of_columns<float> w, of_rows<float> y) {
  return kt::outputs(kt::dot(kt::tanh(kt::dot(x, w)) * y, x));
};
/// What is added decays, and is scaled by numbers that are known at a call.
constexpr auto decaying = [](matrix<float> x, of_columns<float> w, of_rows<float> y) {
  const auto score = kt::dot(x, w);
  const auto rate = kt::sum(kt::sqr(w)) * 0.01f;
  return kt::outputs(w - rate * (kt::dot(kt::transpose(x), score - y) + 0.1f * w), score);
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
  return kt::outputs(kt::dot(kt::transpose(x), kt::nn::dropout(kt::dot(x, w), 0.25) - y));
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

/// Compares calls with one thread, with three, and of the reference. `expected`: how many steps run by blocks.
template <class T, class Body>
void check(const std::string& name, Body body, int expected, std::vector<std::array<std::int64_t, 2>> more = {}) {
  CAPTURE(name);
  auto alone = kt::function(body, kt::context::host(1)), together = kt::function(body, kt::context::host(3));
  CHECK(blocked_steps(alone) == expected);
  more.insert(more.end(), {{40, 7}, {1, 3}, {0, 5}, {40, 0}});  // matrices that are not divided
  for (const auto& each : more) {
    const std::int64_t count = each[0], width = each[1];
    CAPTURE(count);
    CAPTURE(width);
    const auto x = filled(kt::tensor<T, 2>({count, width}), 0.5);
    const auto w = filled(kt::tensor<T, 1>({width}), 0.2), y = filled(kt::tensor<T, 1>({count}), 1);
    CHECK(have_same_bits(values_of(alone(x, w, y)), values_of(together(x, w, y))));
    const auto found = kt::debug::verify(alone, kt::debug::tolerance{1e-4}, x, w, y);  // of sums of thousands
    CHECK_MESSAGE(found, found.where, ": ", found.found, " for ", found.expected);
    together(x, w, y);  // so that both draw the same numbers next time
  }
}

struct model : kt::model {
  kt::shared<float, 64> w{this, "w"};

  constexpr auto step(kt::var<float, n, 64> x, kt::var<float, n> y) const {
    const auto score = kt::dot(x, w);
    const auto cost = kt::mean(kt::softplus(score) - y * score);
    return kt::outputs(cost).updates(kt::update(w, w - 0.1f * kt::grad(cost, w)));
  }
};

}  // namespace

TEST_CASE("blocks of rows: products that read a matrix twice") {
  constexpr std::array<std::int64_t, 2> blocks_and_a_rest{4103, 257}, short_chunks{1040, 1024};
  check<float>("regression", regression, 3, {blocks_and_a_rest, short_chunks});
  check<double>("least squares", least_squares, 2, {{2051, 257}});
  check<float>("from the left", from_the_left, 3, {blocks_and_a_rest});
  check<float>("decaying", decaying, 3, {blocks_and_a_rest});
  check<float>("of two products", of_two_products, 4, {blocks_and_a_rest});
  check<float>("of two columns", of_two_columns, 3, {blocks_and_a_rest});
  check<float>("drawing", drawing, 3, {blocks_and_a_rest});
}

TEST_CASE("blocks of rows: rows that need one another stay together") {
  check<float>("of all rows", of_all_rows, 0);
  check<float>("of reversed rows", of_reversed_rows, 0);
  check<float>("of another matrix", of_another_matrix, 0);
}

TEST_CASE("blocks of rows: infinity gives what it gives in whole steps") {
  auto f = kt::function(regression, kt::context::host(2));
  constexpr std::int64_t count = 4100, width = 256;
  auto x = filled(kt::tensor<float, 2>({count, width}), 0.5);
  const auto w = filled(kt::tensor<float, 1>({width}), 0.2), y = filled(kt::tensor<float, 1>({count}), 1);
  x.data()[3210 * width + 7] = std::numeric_limits<float>::infinity();
  const auto found = kt::debug::verify(f, kt::debug::tolerance{1e-4}, x, w, y);
  CHECK_MESSAGE(found, found.where, ": ", found.found, " for ", found.expected);
}

TEST_CASE("blocks of rows: a step of a model changes its variable in place, and allocates nothing") {
  kt::session<model> session(kt::context::host(2));
  auto step = session.compile<&model::step>();
  CHECK(blocked_steps(step) == 3);
  constexpr std::int64_t count = 17008;
  const auto x = filled(kt::tensor<float, 2>({count, 64}), 0.5);
  const auto y = filled(kt::tensor<float, 1>({count}), 1);
  CHECK(kt::debug::verify(step, kt::debug::tolerance{1e-4}, x, y));
  const float first = step(x, y);
  const long before = allocations;
  float last = 0;
  for (int i = 0; i < 10; ++i) last = step(x, y);
  CHECK(allocations == before);
  CHECK(last < first);
  // two vectors of the rows: the cost, too, reads the scores, when all blocks have passed
  CHECK(step.memory_plan(n(count)).peak == 2 * 4 * count);
}
