#include "../../support.hpp"

TEST_CASE("argmax") {
  using namespace test;
  const tensor x = matrix(2, 3, {1, 9, 3, 9, 5, 1});
  check_tensor(eval([](kt::var<double, n, m> a) { return kt::argmax(a, kt::axis<0>); }, {x}), {3}, {1, 0, 0});
  check_tensor(eval([](kt::var<double, n, m> a) { return kt::argmax(a, kt::axis<1>); }, {x}), {2}, {1, 0});
  check_tensor(eval([](kt::var<double, n, m> a) { return kt::argmax(a); }, {x}), {}, {1});  // in row-major order
  check_tensor(eval([](kt::var<double> a) { return kt::argmax(a); }, {scalar(3)}), {}, {0});
  const auto all = [](kt::var<double, n> a) { return kt::argmax(a); };
  check_tensor(eval(all, {vector({1, quiet_nan, 3, quiet_nan})}), {}, {1});
  check_tensor(eval(all, {vector({2, inf, inf})}), {}, {1});  // the first of equals
  check_tensor(eval(all, {vector({0.0, -0.0})}), {}, {0});
  CHECK_THROWS_AS(eval(all, {vector({})}), kt::shape_error);
  check_tensor(eval([](kt::var<double, n, m> a) { return kt::argmax(a, kt::axis<1>); }, {matrix(0, 3, {})}), {0}, {});
}
