#include "../../support.hpp"

TEST_CASE("slice") {
  using namespace test;
  const tensor x = matrix(4, 3, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  check_tensor(eval([](kt::var<double, n, m> a) { return a[kt::rows(1, 3)]; }, {x}), {2, 3}, {3, 4, 5, 6, 7, 8});
  check_tensor(eval([](kt::var<double, n, m> a) { return a[kt::cols(-2, kt::end)]; }, {x}), {4, 2},
               {1, 2, 4, 5, 7, 8, 10, 11});
  check_tensor(eval([](kt::var<double, n, m> a) { return a[kt::range(kt::axis<0>, 0, kt::end, 3)]; }, {x}), {2, 3},
               {0, 1, 2, 9, 10, 11});
  check_tensor(eval([](kt::var<double, n, m> a) { return a[kt::rows(2, 2)]; }, {x}), {0, 3}, {});
  const auto first = [](kt::var<double, n> a, kt::var<int> count) { return a[kt::rows(0, count)]; };
  check_tensor(eval(first, {vector({5, 6, 7}), scalar(2)}), {2}, {5, 6});
  check_tensor(eval(first, {vector({5, 6, 7}), scalar(0)}), {0}, {});
  CHECK_THROWS_AS(eval(first, {vector({5, 6, 7}), scalar(4)}), kt::shape_error);
  CHECK_THROWS_AS(eval(first, {vector({5, 6, 7}), scalar(-1)}), kt::shape_error);
  CHECK_THROWS_AS(eval([](kt::var<double, n> a) { return a[kt::rows(-3, kt::end)]; }, {vector({1, 2})}),
                  kt::shape_error);
}

TEST_CASE("slice: gradient, which is an embedding, and whose gradient is a slice") {
  using namespace test;
  const tensor x = matrix(4, 3, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  check_grad([](kt::var<double, n, m> a) { return kt::sqr(a[kt::rows(1, 3)]); }, {x});
  check_grad([](kt::var<double, n, m> a) { return kt::sqr(a[kt::range(kt::axis<1>, 0, kt::end, 2)]); }, {x});
  check_grad(
      [](kt::var<double, n, m> a) {
        return kt::grad(kt::sum(kt::exp(a[kt::range(kt::axis<0>, 1, kt::end, 2)] / 10)), a);
      },
      {x});
  const auto slope = [](kt::var<double, n> a) {
    return kt::grad(kt::sum(a[kt::range(kt::axis<0>, 1, kt::end, 2)]), a);
  };
  check_tensor(eval(slope, {vector({5, 6, 7, 8, 9})}), {5}, {0, 1, 0, 1, 0});
}
