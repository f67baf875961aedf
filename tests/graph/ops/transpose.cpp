#include "../../support.hpp"

TEST_CASE("transpose and permute") {
  using namespace test;
  const tensor x = matrix(2, 3, {1, 2, 3, 4, 5, 6});
  const auto f = [](kt::var<double, n, m> a) { return kt::transpose(a); };
  check_tensor(eval(f, {x}), {3, 2}, {1, 4, 2, 5, 3, 6});
  check_tensor(eval(f, {matrix(0, 3, {})}), {3, 0}, {});
  const auto cycle = [](kt::var<double, n, m, 2> a) { return kt::permute<2, 0, 1>(a); };
  const tensor cube{{2, 3, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}};
  check_tensor(eval(cycle, {cube}), {2, 2, 3}, {0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11});
  check_tensor(eval([](kt::var<double, n, m, 2> a) { return kt::permute<1, 2, 0>(kt::permute<2, 0, 1>(a)); }, {cube}),
               {2, 3, 2}, cube.values);
  check_tensor(eval([](kt::var<double, n, m, 2> a) { return kt::permute<-1, 0, -2>(a); }, {cube}), {2, 2, 3},
               {0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11});
  check_grad([](kt::var<double, n, m, 2> a) { return kt::sqr(kt::permute<2, 0, 1>(a)); }, {cube});
  check_grad([](kt::var<double, n, m> a) { return kt::grad(kt::sum(kt::dot(kt::transpose(a), a)), a); }, {x});
}
