#include "../../support.hpp"

TEST_CASE("reshape") {
  using namespace test;
  const tensor x = matrix(2, 6, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  const auto split = [](kt::var<double, n, 6> a) { return kt::reshape<n, 2, 3>(a); };
  check_tensor(eval(split, {x}), {2, 2, 3}, x.values);
  check_tensor(eval([](kt::var<double, n, 6> a) { return kt::reshape<kt::any>(a); }, {x}), {12}, x.values);
  check_tensor(eval([](kt::var<double, n, 6> a) { return kt::reshape<kt::any, 4>(a); }, {x}), {3, 4}, x.values);
  check_tensor(eval([](kt::var<double, 1, 1> a) { return kt::reshape<>(a); }, {matrix(1, 1, {7})}), {}, {7});
  check_tensor(eval(split, {matrix(0, 6, {})}), {0, 2, 3}, {});
  check_grad([](kt::var<double, n, 6> a) { return kt::sqr(kt::reshape<n, 2, 3>(a)); }, {x});
  check_grad([](kt::var<double, n, 6> a) { return kt::grad(kt::sum(kt::exp(kt::reshape<n, 2, 3>(a) / 10)), a); }, {x});
}

TEST_CASE("reshape: what cannot be decided by types is checked at the call") {
  using namespace test;
  const auto f = [](kt::var<double, kt::any> a) { return kt::reshape<kt::any, 4>(a); };
  check_tensor(eval(f, {vector({1, 2, 3, 4, 5, 6, 7, 8})}), {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  CHECK_THROWS_AS(eval(f, {vector({1, 2, 3})}), kt::shape_error);
}
