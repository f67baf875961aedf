// Parts of tensors that are changed by functions, and lookups by several integers.
#include "support.hpp"

#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

using namespace test;

namespace {

template <class Tensor>
numbers values_of(const Tensor& t) {
  return numbers(t.begin(), t.end());
}
const kt::tensor<double, 2> matrix_of_six({3, 2}, {1, 2, 3, 4, 5, 6});

TEST_CASE("set and inc: parts that are named as in brackets") {
  auto f = kt::function(
      [](kt::var<double, n, 2> x, kt::var<double, 2> row, kt::var<std::int64_t> i, kt::var<double, n> column) {
        return kt::outputs(kt::set(x, 0, row), kt::set(x, kt::at(kt::all, 1), column), kt::inc(x, i, row),
                           kt::set(x, kt::at(i, 0), 9), kt::inc(x, kt::rows(1, kt::end), 10),
                           kt::set(x, kt::range(kt::axis<0>, 0, kt::end, 2), row),
                           kt::set(x, kt::range(kt::axis<0>, 0, kt::end, -1), x), kt::set(x > 2.0, kt::at(0, 1), true));
      });
  const numbers row{-1, -2}, column{7, 8, 9};
  const auto [a, b, c, d, e, g, h, k] = f(matrix_of_six, row, 2, column);
  CHECK(values_of(a) == numbers{-1, -2, 3, 4, 5, 6});
  CHECK(values_of(b) == numbers{1, 7, 3, 8, 5, 9});
  CHECK(values_of(c) == numbers{1, 2, 3, 4, 4, 4});
  CHECK(values_of(d) == numbers{1, 2, 3, 4, 9, 6});
  CHECK(values_of(e) == numbers{1, 2, 13, 14, 15, 16});
  CHECK(values_of(g) == numbers{-1, -2, 3, 4, -1, -2});
  CHECK(values_of(h) == numbers{5, 6, 3, 4, 1, 2});
  CHECK(values_of(k) == numbers{0, 1, 1, 1, 1, 1});
  CHECK(kt::debug::verify(f, matrix_of_six, row, 1, column));
}

TEST_CASE("set and inc: rows and elements that integers name, also twice") {
  auto f = kt::function(
      [](kt::var<double, n, 2> x, kt::var<std::int32_t, m> at, kt::var<double, m, 2> rows, kt::var<double, m> values) {
        const auto columns = kt::mod(at, 2);
        return kt::outputs(kt::set(x, at, rows), kt::inc(x, at, rows), kt::set(x, std::tuple{at, columns}, values),
                           kt::inc(x, std::tuple{at, columns}, 1), kt::set(kt::cast<int>(x), at, 5));
      });
  const std::vector<std::int32_t> at{2, 0, 2};
  const kt::tensor<double, 2> rows({3, 2}, {10, 20, 30, 40, 50, 60});
  const numbers values{7, 8, 9};
  const auto [a, b, c, d, e] = f(matrix_of_six, at, rows, values);
  CHECK(values_of(a) == numbers{30, 40, 3, 4, 50, 60});
  CHECK(values_of(b) == numbers{31, 42, 3, 4, 65, 86});
  CHECK(values_of(c) == numbers{8, 2, 3, 4, 9, 6});
  CHECK(values_of(d) == numbers{2, 2, 3, 4, 7, 6});
  CHECK(values_of(e) == numbers{5, 5, 3, 4, 5, 5});
  CHECK(kt::debug::verify(f, matrix_of_six, at, rows, values));
  const kt::tensor<double, 2> no_rows({0, 2});
  const auto [same, added, third, fourth, fifth] = f(matrix_of_six, std::vector<std::int32_t>{}, no_rows, numbers{});
  CHECK(values_of(same) == numbers{1, 2, 3, 4, 5, 6});
  CHECK(values_of(added) == numbers{1, 2, 3, 4, 5, 6});
  CHECK_THROWS_AS(f(matrix_of_six, std::vector<std::int32_t>{3}, kt::tensor<double, 2>({1, 2}), numbers{1}),
                  kt::index_error);
}

TEST_CASE("set and inc: gradients, and lookups by several integers and along an axis") {
  const auto changed = [](kt::var<double, 4, 2> x, kt::var<double, 3, 2> y) {
    const auto at = kt::mod(kt::arange<int, 3>() * 3, 4) - kt::arange<int, 3>() / 2 * 2;  // 0, 3, 0
    return kt::sin(kt::set(x, at, y)) + kt::inc(x * x, at, y * y) + kt::set(x, kt::rows<1, 4>(), y) +
           kt::inc(x, kt::at(kt::all, 1), kt::sum(y));
  };
  check_grad(changed, {matrix(4, 2, some(8)), matrix(3, 2, some(6, 3))});
  const auto looked_up = [](kt::var<double, 4, 2, n> x) {
    const auto i = kt::mod(kt::arange<int, 5>(), 4);
    return kt::sum(kt::take(kt::exp(x), std::tuple{i, kt::mod(i, 2)}), kt::axis<1>) +
           kt::sum(kt::take(x, i, kt::axis<0>) * 2.0) + kt::sum(kt::take(x, kt::mod(i, 2), kt::axis<1>));
  };
  check_grad(looked_up, {{{4, 2, 3}, some(24)}});
  auto f = kt::function([](kt::var<double, n, 3> x, kt::var<std::int8_t, 2, 2> index) {
    return kt::outputs(kt::take(x, index, kt::axis<1>), kt::take(x, std::tuple{kt::arange<int, 2>(), index}));
  });
  const kt::tensor<double, 2> x({2, 3}, {1, 2, 3, 4, 5, 6});
  const kt::tensor<std::int8_t, 2> index({2, 2}, {2, 0, 1, 1});
  const auto [columns, both] = f(x, index);
  CHECK(values_of(columns) == numbers{3, 1, 2, 2, 6, 4, 5, 5});
  CHECK(values_of(both) == numbers{3, 4, 2, 5});
}

TEST_CASE("set and inc: what is changed as a whole is depended on still") {
  auto f = kt::function([](kt::var<double, n, 2> x, kt::var<double, n, 2> y) {
    const auto z = kt::set(x, kt::at(kt::all, kt::all), y), w = kt::inc(x, kt::rows(0, kt::end), y * x);
    return kt::outputs(z, kt::grad(kt::sum(z * z), x), kt::grad(kt::sum(z * z), y), kt::grad(kt::sum(w), x));
  });
  const auto [z, by_x, by_y, added] = f(matrix_of_six, matrix_of_six);
  CHECK(values_of(z) == values_of(matrix_of_six));
  CHECK(values_of(by_x) == numbers(6, 0.0));
  CHECK(values_of(by_y) == numbers{2, 4, 6, 8, 10, 12});
  CHECK(values_of(added) == numbers{2, 3, 4, 5, 6, 7});
}

TEST_CASE("set_along and inc_along: positions along an axis, also twice") {
  auto f = kt::function([](kt::var<double, n, 3> x, kt::var<std::int32_t, n, m> at, kt::var<double, n, m> y,
                           kt::var<double, 4> v, kt::var<std::int64_t, m> i) {
    const auto cost = kt::sum(kt::sqr(kt::set_along(x, at, y, kt::axis<1>))) +
                      kt::sum(kt::sqr(kt::inc_along(x, at, y, kt::axis<-1>)));
    return kt::outputs(kt::set_along(x, at, y, kt::axis<1>), kt::inc_along(x, at, y, kt::axis<1>),
                       kt::set_along(v, i, 7), kt::inc_along(v, i, 1.5),
                       kt::inc_along(x, kt::mod(at[kt::cols<0, 3>()], 2), x, kt::axis<0>), kt::grad(cost, x),
                       kt::grad(cost, y));
  });
  const kt::tensor<std::int32_t, 2> at({2, 3}, {2, 0, 2, 1, 1, 0});
  const kt::tensor<double, 2> x({2, 3}, {1, 2, 3, 4, 5, 6}), y({2, 3}, {10, 20, 30, 40, 50, 60});
  const auto [a, b, c, d, e, by_x, by_y] = f(x, at, y, numbers{1, 2, 3, 4}, std::vector<std::int64_t>{3, 0, 3});
  CHECK(values_of(a) == numbers{20, 2, 30, 60, 50, 6});
  CHECK(values_of(b) == numbers{21, 2, 43, 64, 95, 6});
  CHECK(values_of(c) == numbers{7, 2, 3, 7});
  CHECK(values_of(d) == numbers{2.5, 2, 3, 7});
  CHECK(values_of(e) == numbers{2, 4, 12, 8, 10, 6});
  CHECK(kt::debug::verify(f, x, at, y, numbers{1, 2, 3, 4}, std::vector<std::int64_t>{3, 0, 3}));
  const std::vector<std::int64_t> outside{0, 1, 4};
  CHECK_THROWS_AS(f(x, at, y, numbers{1, 2, 3, 4}, outside), kt::index_error);
}

}  // namespace
