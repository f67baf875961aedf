#include "../../support.hpp"

TEST_CASE("logical_or") {
  using namespace test;
  const auto f = [](kt::var<bool, n, 1> x, kt::var<bool, m> y) { return x || y; };
  check_tensor(eval(f, {matrix(2, 1, {0, 1}), vector({0, 1})}), {2, 2}, {0, 1, 1, 1});
  check_tensor(eval(f, {matrix(0, 1, {}), vector({0, 1})}), {0, 2}, {});
}
