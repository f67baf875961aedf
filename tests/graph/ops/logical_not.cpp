#include "../../support.hpp"

TEST_CASE("logical_not") {
  using namespace test;
  const auto f = [](kt::var<bool, n> x) { return !x; };
  check_tensor(eval(f, {vector({0, 1})}), {2}, {1, 0});
  check_tensor(eval(f, {vector({})}), {0}, {});
}
