#include "../../support.hpp"

TEST_CASE("all") {
  using namespace test;
  const tensor x = matrix(2, 2, {0, 1, 1, 1});
  check_tensor(eval([](kt::var<bool, n, m> a) { return kt::all(a); }, {x}), {}, {0});
  check_tensor(eval([](kt::var<bool, n, m> a) { return kt::all(a, kt::axis<0>); }, {x}), {2}, {0, 1});
  check_tensor(eval([](kt::var<bool, n, m> a) { return kt::all(a, kt::axis<1>, kt::keep_dims); }, {x}), {2, 1}, {0, 1});
  const auto everywhere = [](kt::var<bool, n> a) { return kt::all(a); };
  check_tensor(eval(everywhere, {vector({0, 0})}), {}, {0});
  check_tensor(eval(everywhere, {vector({1, 1})}), {}, {1});
  check_tensor(eval(everywhere, {vector({})}), {}, {1});
}
