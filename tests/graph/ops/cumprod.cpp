#include "../../support.hpp"

TEST_CASE("cumprod") {
  using namespace test;
  const tensor x = matrix(2, 3, {1, 2, 3, 4, 5, -6});
  check_tensor(eval([](kt::var<double, n, m> a) { return kt::cumprod(a, kt::axis<0>); }, {x}), {2, 3},
               {1, 2, 3, 4, 10, -18});
  check_tensor(eval([](kt::var<double, n, m> a) { return kt::cumprod(a, kt::axis<-1>); }, {x}), {2, 3},
               {1, 2, 6, 4, 20, -120});
  const auto products = [](kt::var<double, n> a) { return kt::cumprod(a); };
  check_tensor(eval(products, {vector({})}), {0}, {});
  check_tensor(eval(products, {vector({2, inf, 0, 1})}), {4}, {2, inf, quiet_nan, quiet_nan});
  check_tensor(eval([](kt::var<std::int8_t, n> a) { return kt::cumprod(a); }, {vector({100, 100, -1})}), {3},
               {100, 10000, -10000});
}

TEST_CASE("cumprod: gradient, with zeros") {
  using namespace test;
  const auto rows = [](kt::var<double, n, m> a) {
    return kt::sqr(kt::cumprod(a, kt::axis<1>)) + kt::cumprod(a, kt::axis<1>) * 3;
  };
  check_grad(rows, {matrix(2, 3, {1, 2, 3, 4, 5, -0.5})});
  check_grad(rows, {matrix(3, 4, {1, 0, 3, 4, 5, 0, 2, 0, 0, 1, 0, 2})});
  check_grad([](kt::var<double, n, m> a) { return kt::cumprod(a, kt::axis<0>); }, {matrix(3, 1, {1, 0, 3})});
  check_grad([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::sqr(kt::cumprod(a)) * a), a); },
             {vector({1, -2, 3})});
}
