#include "../../support.hpp"

TEST_CASE("iota: the index along an axis, as one_hot and pick use it") {
  using namespace test;
  const auto f = [](kt::var<double, n> x) {
    return x + kt::expr<double, kt::typed::extents_of<n>>(
                   kt::graph::iota(*x.untyped().owner, kt::dtype::float64, x.untyped().extents()[0]));
  };
  check_tensor(eval(f, {vector({0, 0, 0})}), {3}, {0, 1, 2});
  check_tensor(eval(f, {vector({})}), {0}, {});
}
