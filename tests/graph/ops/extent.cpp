#include "../../support.hpp"

TEST_CASE("extent: the value of an extent") {
  using namespace test;
  const auto f = [](kt::var<double, n, 3> x) {
    return kt::outputs(kt::typed::elements_along(x, 1), kt::typed::elements_along(x, 3));
  };
  const auto found = run(f, {matrix(2, 3, {1, 2, 3, 4, 5, 6})});
  check_tensor(found.outputs[0], {}, {2});
  check_tensor(found.outputs[1], {}, {6});
  check_tensor(eval([](kt::var<double, n> x) { return kt::mean(x); }, {vector({1, 2, 6})}), {}, {3});
  CHECK_THROWS_AS(eval([](kt::var<double, n> x) { return kt::mean(x); }, {vector({})}), kt::shape_error);
}
