#include "../../support.hpp"

TEST_CASE("rem") {
  using namespace test;
  check_binary([](kt::var<double, n> x, kt::var<double, n> y) { return kt::rem(x, y); },
               [](double x, double y) { return std::fmod(x, y); });
  const auto f = [](kt::var<double, n, 1> a, kt::var<double, m> b) { return kt::rem(a, b); };
  const tensor x = matrix(2, 1, {-1.5, 2}), y = vector({0.7, 3.2, -4.1});
  check_grad(f, {x, y});
  check_grad([](kt::var<double, n, 1> a, kt::var<double> b) { return kt::rem(a, b); }, {x, scalar(1.7)});
  check_tensor(eval(f, {matrix(2, 1, {-1.5, 2}), vector({})}), {2, 0}, {});
  const auto whole = [](kt::var<int, n> a, kt::var<int, n> b) { return kt::rem(a, b); };
  check_tensor(eval(whole, {vector({7, -7, 7, -7, 5, -2147483648.0}), vector({3, 3, -3, -3, 0, -1})}), {6},
               {1, -1, 1, -1, 0, 0});
}
