#include "../support.hpp"

using namespace test;

namespace at_types {

inline constexpr struct batch : kt::dim<batch> {} batch;
extern kt::var<float, batch, 3, 4> x;
extern kt::var<int> i;
template <class Found, class Expected>
inline constexpr bool is = std::is_same_v<typename Found::expression, Expected>;
static_assert(is<decltype(x[0]), kt::var<float, 3, 4>>);
static_assert(is<decltype(x[i]), kt::var<float, 3, 4>>);
static_assert(is<decltype(x[kt::at(kt::all, 2)]), kt::var<float, batch, 4>>);
static_assert(is<decltype(x[kt::at(0, 1, 2)]), kt::var<float>>);
static_assert(is<decltype(x[kt::at(kt::newaxis, kt::all, i, kt::newaxis)]), kt::var<float, 1, batch, 1, 4>>);
static_assert(is<decltype(x[kt::at(kt::all, kt::slice(0, 2))]), kt::var<float, batch, kt::any, 4>>);

}  // namespace at_types

namespace {

const std::vector<tensor> matrix_and_number = {matrix(2, 3, {1, 2, 3, 4, 5, 6}), scalar(1)};

template <class F>
void check_at(F f, const std::vector<std::int64_t>& extents, const numbers& expected) {
  check_tensor(eval(f, matrix_and_number), extents, expected);
}

}  // namespace

TEST_CASE("at: positions drop their axis") {
  check_at([](kt::var<double, n, 3> a, kt::var<int>) { return a[0]; }, {3}, {1, 2, 3});
  check_at([](kt::var<double, n, 3> a, kt::var<int>) { return a[-1]; }, {3}, {4, 5, 6});
  check_at([](kt::var<double, n, 3> a, kt::var<int>) { return a[-2][std::uint8_t{1}]; }, {}, {2});
  check_at([](kt::var<double, n, 3> a, kt::var<int> i) { return a[i]; }, {3}, {4, 5, 6});
  check_at([](kt::var<double, n, 3> a, kt::var<int> i) { return a[kt::at(i - 1, i + 1)]; }, {}, {3});
  check_at([](kt::var<double, n, 3> a, kt::var<int> i) { return a[kt::at(kt::all, i)]; }, {2}, {2, 5});
  check_at([](kt::var<double, n, 3> a, kt::var<int>) { return a[kt::at(kt::all, -1)]; }, {2}, {3, 6});
  check_at([](kt::var<double, n, 3> a, kt::var<int>) { return a[kt::at()]; }, {2, 3}, {1, 2, 3, 4, 5, 6});
  check_at([](kt::var<double, n, 3>, kt::var<int> i) { return kt::arange<int, 4>()[i]; }, {}, {1});
  CHECK_THROWS_AS(eval([](kt::var<double, n, 3> a, kt::var<int> i) { return a[i + 1]; }, matrix_and_number),
                  kt::index_error);
  CHECK_THROWS_AS(eval([](kt::var<double, n, 3> a, kt::var<int>) { return a[2]; }, matrix_and_number), kt::shape_error);
  CHECK_THROWS_AS(eval([](kt::var<double, n, 3> a, kt::var<int>) { return a[-3]; }, matrix_and_number),
                  kt::shape_error);
}

TEST_CASE("at: two items, of which one is a slice with a variable bound") {
  check_at([](kt::var<double, n, 3> a, kt::var<int> i) { return a[kt::at(kt::slice(i, kt::end), kt::all)]; }, {1, 3},
           {4, 5, 6});
  check_at([](kt::var<double, n, 3> a, kt::var<int> i) { return a[kt::at(kt::slice(0, i), kt::slice(i, kt::end))]; },
           {1, 2}, {2, 3});
  check_at([](kt::var<double, n, 3> a, kt::var<int> i) { return a[kt::at(i, kt::slice(0, i))]; }, {1}, {4});
  check_at([](kt::var<double, n, 3> a, kt::var<int> i) { return a[kt::at(kt::slice(0, i), -1)]; }, {1}, {3});
  check_at([](kt::var<double, n, 3> a, kt::var<int> i) { return a[kt::at(kt::slice(0, i), kt::newaxis)]; }, {1, 1, 3},
           {1, 2, 3});
}

struct two_expressions {
  kt::var<double, n, 3> first, second;
};
TEST_CASE("at: structs with expressions stand in tuples") {
  check_at(
      [](kt::var<double, n, 3> a, kt::var<int>) {
        const std::tuple both{two_expressions{a, a + 1}, two_expressions{a + 2, a}};
        return (std::get<0>(both).second + std::get<1>(both).first)[0];
      },
      {3}, {5, 7, 9});
}

TEST_CASE("at: slices, new axes, and the reverse order") {
  check_at([](kt::var<double, n, 3> a, kt::var<int>) { return a[kt::at(kt::slice(1, kt::end), kt::slice(0, 3, 2))]; },
           {1, 2}, {4, 6});
  check_at([](kt::var<double, n, 3> a, kt::var<int>) { return a[kt::at(1, kt::newaxis, kt::slice(-2, kt::end))]; },
           {1, 2}, {5, 6});
  check_at([](kt::var<double, n, 3> a, kt::var<int>) { return a[kt::at(kt::newaxis, kt::all, kt::newaxis)]; },
           {1, 2, 1, 3}, {1, 2, 3, 4, 5, 6});
  check_at([](kt::var<double, n, 3> a, kt::var<int>) { return a[kt::at(kt::all, kt::slice(0, kt::end, -1))]; }, {2, 3},
           {3, 2, 1, 6, 5, 4});
  check_at([](kt::var<double, n, 3> a, kt::var<int>) { return a[kt::range(kt::axis<0>, 0, kt::end, -1)]; }, {2, 3},
           {4, 5, 6, 1, 2, 3});
  check_at([](kt::var<double, n, 3> a, kt::var<int>) { return a[kt::range<0, kt::end, -2>(kt::axis<1>)]; }, {2, 2},
           {3, 1, 6, 4});
  check_at([](kt::var<double, n, 3> a, kt::var<int>) { return a[kt::at(kt::slice(1, 1, -1))]; }, {0, 3}, {});
  const tensor cube{{2, 2, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};
  check_tensor(
      eval([](kt::var<double, n, 2, 3> a) { return a[kt::at(kt::all, kt::all, kt::slice(1, 3, -1))]; }, {cube}),
      {2, 2, 2}, {3, 2, 6, 5, 9, 8, 12, 11});
  check_tensor(eval([](kt::var<double, n, 2, 3> a) { return a[kt::at(kt::slice(0, 2, -1), 1)]; }, {cube}), {2, 3},
               {10, 11, 12, 4, 5, 6});
  check_tensor(
      eval([](kt::var<double, n, 2, 3> a) { return a[kt::at(kt::all, kt::all, kt::argmax(a[0][0]))]; }, {cube}), {2, 2},
      {3, 6, 9, 12});
}

TEST_CASE("at: gradients") {
  check_grad(
      [](kt::var<double, n, 3> a) {
        return kt::sqr(a[0]) * a[kt::at(kt::all, kt::slice(0, kt::end, -1))] + kt::exp(a[kt::at(-1, 1)]);
      },
      {matrix(2, 3, {0.1, 0.2, 0.3, 0.4, 0.5, 0.6})});
}
