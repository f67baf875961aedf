#include "../../support.hpp"

TEST_CASE("input: arguments in their order") {
  using namespace test;
  const auto f = [](kt::var<double, n> x, kt::var<int, 2> y, kt::var<bool> z) { return kt::outputs(z, y, x); };
  const auto found = run(f, {vector({1.5, inf}), vector({3, 4}), scalar(1)});
  check_tensor(found.outputs[0], {}, {1});
  check_tensor(found.outputs[1], {2}, {3, 4});
  check_tensor(found.outputs[2], {2}, {1.5, inf});
  check_grad([](kt::var<double, n> x) { return x; }, {vector({1, 2})});
}
