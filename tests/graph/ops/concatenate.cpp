#include "../../support.hpp"

TEST_CASE("concatenate") {
  using namespace test;
  const tensor x = matrix(2, 2, {1, 2, 3, 4}), y = matrix(2, 1, {5, 6});
  const auto wide = [](kt::var<double, n, 2> a, kt::var<double, n, 1> b) {
    return kt::concatenate(kt::axis<1>, a, b, a);
  };
  check_tensor(eval(wide, {x, y}), {2, 5}, {1, 2, 5, 1, 2, 3, 4, 6, 3, 4});
  const auto tall = [](kt::var<double, n, 2> a, kt::var<double, kt::any, 2> b) {
    return kt::concatenate(kt::axis<0>, a, b);
  };
  check_tensor(eval(tall, {x, matrix(0, 2, {})}), {2, 2}, {1, 2, 3, 4});
  check_tensor(eval(tall, {x, matrix(1, 2, {inf, 8})}), {3, 2}, {1, 2, 3, 4, inf, 8});
  check_grad(
      [](kt::var<double, n, 2> a, kt::var<double, n, 1> b) { return kt::exp(kt::concatenate(kt::axis<-1>, a, b, a)); },
      {x, y});
  const auto slope = [](kt::var<double, n, 2> a) {
    return kt::grad(kt::sum(kt::exp(kt::concatenate(kt::axis<0>, a, a * a))), a);
  };
  check_grad(slope, {matrix(2, 2, {0.1, 0.2, 0.3, 0.4})});
}

TEST_CASE("stack") {
  using namespace test;
  const auto f = [](kt::var<double, n> a, kt::var<double, n> b) { return kt::stack(kt::axis<0>, a, b); };
  const auto last = [](kt::var<double, n> a, kt::var<double, n> b) { return kt::stack(kt::axis<-1>, a, b); };
  check_tensor(eval(f, {vector({1, 2}), vector({3, 4})}), {2, 2}, {1, 2, 3, 4});
  check_tensor(eval(last, {vector({1, 2}), vector({3, 4})}), {2, 2}, {1, 3, 2, 4});
  check_grad(last, {vector({1, 2}), vector({3, 4})});
}
