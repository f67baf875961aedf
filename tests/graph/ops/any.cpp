#include "../../support.hpp"

TEST_CASE("any") {
  using namespace test;
  const tensor x = matrix(2, 2, {0, 1, 1, 1});
  check_tensor(eval([](kt::var<bool, n, m> a) { return kt::any(a); }, {x}), {}, {1});
  check_tensor(eval([](kt::var<bool, n, m> a) { return kt::any(a, kt::axis<0>); }, {x}), {2}, {1, 1});
  check_tensor(eval([](kt::var<bool, n, m> a) { return kt::any(a, kt::axis<1>, kt::keep_dims); }, {x}), {2, 1}, {1, 1});
  const auto everywhere = [](kt::var<bool, n> a) { return kt::any(a); };
  check_tensor(eval(everywhere, {vector({0, 0})}), {}, {0});
  check_tensor(eval(everywhere, {vector({1, 1})}), {}, {1});
  check_tensor(eval(everywhere, {vector({})}), {}, {0});
}
