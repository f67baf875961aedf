#include "../../support.hpp"

TEST_CASE("cast") {
  using namespace test;
  const tensor x = vector({0.9, -0.9, 2.5, -2.5, 300, -300, 1e30, -inf, quiet_nan});
  check_tensor(eval([](kt::var<double, n> a) { return kt::cast<int>(a); }, {x}), {9},
               {0, 0, 2, -2, 300, -300, 2147483647, -2147483648.0, 0});
  check_values(eval([](kt::var<double, n> a) { return kt::cast<std::uint8_t>(a); }, {x}),
               {0, 0, 2, 0, 255, 0, 255, 0, 0});
  check_values(
      eval([](kt::var<double, n> a) { return kt::cast<bool>(a); }, {vector({0, -0.0, 0.1, quiet_nan})}),
      {0, 0, 1, 1});
  check_values(eval([](kt::var<int, n> a) { return kt::cast<std::uint8_t>(a); }, {vector({-1, 256, 511})}),
               {255, 0, 255});
  check_values(eval([](kt::var<bool, n> a) { return kt::cast<double>(a); }, {vector({0, 1})}), {0, 1});
  check_tensor(eval([](kt::var<double, n> a) { return kt::cast<int>(a); }, {vector({})}), {0}, {});
}

TEST_CASE("cast: gradients flow between floating-point types only") {
  using namespace test;
  const tensor x = vector({-1.5, 0.5, 2.2});
  check_grad([](kt::var<double, n> a) { return kt::sqr(kt::cast<float>(a)); }, {x});
  check_grad([](kt::var<float, n> a) { return kt::sqr(kt::cast<double>(a)); }, {x});
  check_grad([](kt::var<double, n> a) { return a * kt::cast<double>(kt::cast<int>(a)); }, {x});
}
