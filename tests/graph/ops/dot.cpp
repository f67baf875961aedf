#include "../../support.hpp"

TEST_CASE("dot: vectors and matrices in all combinations") {
  using namespace test;
  const tensor a = matrix(2, 3, {1, 2, 3, 4, 5, 6}), b = matrix(3, 2, {7, 8, 9, 10, 11, 12});
  const tensor u = vector({1, 2}), v = vector({1, 0, -1});
  check_tensor(eval([](kt::var<double, n, 3> x, kt::var<double, 3, m> y) { return kt::dot(x, y); }, {a, b}), {2, 2},
               {58, 64, 139, 154});
  check_tensor(eval([](kt::var<double, n, 3> x, kt::var<double, 3> y) { return kt::dot(x, y); }, {a, v}), {2},
               {-2, -2});
  check_tensor(eval([](kt::var<double, n> x, kt::var<double, n, 3> y) { return kt::dot(x, y); }, {u, a}), {3},
               {9, 12, 15});
  check_tensor(eval([](kt::var<double, n> x, kt::var<double, n> y) { return kt::dot(x, y); }, {v, v}), {}, {2});
}

TEST_CASE("dot: batches") {
  using namespace test;
  const tensor x{{2, 1, 2}, {1, 2, 3, 4}}, y{{2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}};
  const auto both = [](kt::var<double, n, 1, 2> a, kt::var<double, n, 2, 2> b) { return kt::dot(a, b); };
  check_tensor(eval(both, {x, y}), {2, 1, 2}, {7, 10, 43, 50});
  const auto right = [](kt::var<double, n, 1, 2> a, kt::var<double, 2, m> b) { return kt::dot(a, b); };
  check_tensor(eval(right, {x, matrix(2, 2, {1, 2, 3, 4})}), {2, 1, 2}, {7, 10, 15, 22});
  const auto left = [](kt::var<double, 1, 2> a, kt::var<double, n, 2, 2> b) { return kt::dot(a, b); };
  check_tensor(eval(left, {matrix(1, 2, {1, 2}), y}), {2, 1, 2}, {7, 10, 19, 22});
  const auto vectors = [](kt::var<double, n, m, 2> a, kt::var<double, 2> b) { return kt::dot(a, b); };
  check_tensor(eval(vectors, {y, vector({1, 10})}), {2, 2}, {21, 43, 65, 87});
  check_grad(both, {x, y});
  check_grad(right, {x, matrix(2, 2, {1, 2, 3, 4})});
  check_grad(left, {matrix(1, 2, {1, 2}), y});
  check_grad(vectors, {y, vector({1, 10})});
}

TEST_CASE("dot: nothing, extremes, gradients") {
  using namespace test;
  const auto f = [](kt::var<double, n, m> x, kt::var<double, m, 2> y) { return kt::dot(x, y); };
  check_tensor(eval(f, {matrix(2, 0, {}), matrix(0, 2, {})}), {2, 2}, {0, 0, 0, 0});
  check_tensor(eval(f, {matrix(0, 1, {}), matrix(1, 2, {1, 2})}), {0, 2}, {});
  check_tensor(eval(f, {matrix(1, 2, {0, 1}), matrix(2, 2, {inf, 1, 1, -inf})}), {1, 2}, {quiet_nan, -inf});
  const tensor x = matrix(2, 3, {1, 2, 3, 4, 5, 6}), y = matrix(3, 2, {7, 8, 9, 10, 11, 12});
  check_grad(f, {x, y});
  check_grad([](kt::var<double, n> a, kt::var<double, n> b) { return kt::dot(a, b); },
             {vector({1, 2}), vector({3, 4})});
  check_grad([](kt::var<double, n> a, kt::var<double, n, 3> b) { return kt::dot(a, b); }, {vector({1, 2}), x});
  check_grad([](kt::var<double, n, 3> a, kt::var<double, 3> b) { return kt::dot(a, b); }, {x, vector({3, 4, 5})});
  const auto slope = [](kt::var<double, n, m> a, kt::var<double, m, 2> b) {
    return kt::grad(kt::sum(kt::sqr(kt::dot(a, b))), b);
  };
  check_grad(slope, {x, y});
}
