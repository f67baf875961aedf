#include "../../support.hpp"

TEST_CASE("neg") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return -x; }, [](double v) { return -v; });
  const tensor x = vector({-2, -0.3, 0, 0.7, 3});
  check_grad([](kt::var<double, n> a) { return -a; }, {x});
  check_grad([](kt::var<double, n> a) { return kt::grad(kt::sum(-a), a); }, {x});
  check_tensor(eval([](kt::var<std::int8_t, n> a) { return -a; }, {vector({-128, 0, 7})}), {3}, {-128, 0, -7});
  check_tensor(eval([](kt::var<std::uint8_t, n> a) { return -a; }, {vector({0, 1, 255})}), {3}, {0, 255, 1});
}
