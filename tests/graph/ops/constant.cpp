#include "../../support.hpp"

static_assert(kt::graph::rounded(kt::dtype::float32, 0.1) == static_cast<double>(0.1f));
static_assert(kt::graph::rounded(kt::dtype::float64, 0.1) == 0.1);
static_assert(kt::graph::rounded(kt::dtype::int32, -2.9) == -2);
static_assert(kt::graph::rounded(kt::dtype::boolean, 5) == 1);

TEST_CASE("constant: numbers take the element type of the tensor beside them") {
  using namespace test;
  check_tensor(eval([](kt::var<double, n> x) { return x + 0.1; }, {vector({0})}), {1}, {0.1});
  check_tensor(eval([](kt::var<float, n> x) { return x + 0.1; }, {vector({0})}), {1}, {static_cast<double>(0.1f)});
  check_tensor(eval([](kt::var<double, n> x) { return x + inf; }, {vector({0})}), {1}, {inf});
  check_tensor(eval([](kt::var<double, n> x) { return x * -0.0; }, {vector({1})}), {1}, {-0.0});
  check_tensor(eval([](kt::var<int, n> x) { return x - 7; }, {vector({1})}), {1}, {-6});
}
