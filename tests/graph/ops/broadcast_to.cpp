#include "../../support.hpp"

TEST_CASE("broadcast_to") {
  using namespace test;
  const auto row = [](kt::var<double, m> x, kt::var<double, n> y) {
    return kt::broadcast_to<n, m>(x) + kt::reshape<n, 1>(y);
  };
  check_tensor(eval(row, {vector({1, 2, 3}), vector({0, 10})}), {2, 3}, {1, 2, 3, 11, 12, 13});
  const auto column = [](kt::var<double, n, 1> x) { return kt::broadcast_to<2, n, 3>(x); };
  check_tensor(eval(column, {matrix(2, 1, {1, 2})}), {2, 2, 3}, {1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2});
  check_tensor(eval([](kt::var<double> x) { return kt::broadcast_to<2>(x); }, {scalar(quiet_nan)}), {2},
               {quiet_nan, quiet_nan});
  check_tensor(eval(column, {matrix(0, 1, {})}), {2, 0, 3}, {});
  check_grad(column, {matrix(2, 1, {1, 2})});
  check_grad([](kt::var<double, n, 1> x) { return kt::grad(kt::sum(kt::exp(kt::broadcast_to<n, 3>(x))), x); },
             {matrix(2, 1, {1, 2})});
}
