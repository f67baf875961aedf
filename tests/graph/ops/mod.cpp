#include "../../support.hpp"

TEST_CASE("mod") {
  using namespace test;
  check_binary([](kt::var<double, n> x, kt::var<double, n> y) { return kt::mod(x, y); },
               [](double x, double y) {
                 const double r = std::fmod(x, y);
                 if (r == 0) return std::copysign(0.0, y);
                 return (r < 0) != (y < 0) ? r + y : r;
               });
  // broadcasting, and gradients summed over it
  const auto f = [](kt::var<double, n, 1> a, kt::var<double, m> b) { return kt::mod(a, b); };
  const tensor x = matrix(2, 1, {-1.5, 2}), y = vector({0.7, 3.2, -4.1});
  check_grad(f, {x, y});
  check_grad([](kt::var<double, n, 1> a, kt::var<double> b) { return kt::mod(a, b); }, {x, scalar(1.7)});
  check_tensor(eval(f, {matrix(2, 1, {-1.5, 2}), vector({})}), {2, 0}, {});
  const auto whole = [](kt::var<int, n> a, kt::var<int, n> b) { return kt::mod(a, b); };
  check_tensor(eval(whole, {vector({7, -7, 7, -7, 5}), vector({3, 3, -3, -3, 0})}), {5}, {1, 2, -2, -1, 0});
  const auto unsigned_whole = [](kt::var<std::uint8_t, n> a, kt::var<std::uint8_t, n> b) { return kt::mod(a, b); };
  check_tensor(eval(unsigned_whole, {vector({200, 7}), vector({7, 0})}), {2}, {4, 0});
}
