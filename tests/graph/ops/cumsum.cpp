#include "../../support.hpp"

TEST_CASE("cumsum") {
  using namespace test;
  const tensor x = matrix(2, 3, {1, 2, 3, 4, 5, 60});
  check_tensor(eval([](kt::var<double, n, m> a) { return kt::cumsum(a, kt::axis<0>); }, {x}), {2, 3},
               {1, 2, 3, 5, 7, 63});
  check_tensor(eval([](kt::var<double, n, m> a) { return kt::cumsum(a, kt::axis<-1>); }, {x}), {2, 3},
               {1, 3, 6, 4, 9, 69});
  check_tensor(eval([](kt::var<double, n> a) { return kt::cumsum(a); }, {vector({1, 2, -5})}), {3}, {1, 3, -2});
  const auto middle = [](kt::var<double, n, m, 2> a) { return kt::cumsum(a, kt::axis<1>); };
  check_tensor(eval(middle, {{{2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}}), {2, 3, 2},
               {1, 2, 4, 6, 9, 12, 7, 8, 16, 18, 27, 30});
}

TEST_CASE("cumsum of extremes, of nothing and of integers") {
  using namespace test;
  const auto sums = [](kt::var<double, n> a) { return kt::cumsum(a); };
  check_tensor(eval(sums, {vector({})}), {0}, {});
  check_tensor(eval(sums, {vector({1, inf, 1, -inf, 1})}), {5}, {1, inf, inf, quiet_nan, quiet_nan});
  check_tensor(eval(sums, {vector({1, quiet_nan, 1})}), {3}, {1, quiet_nan, quiet_nan});
  check_tensor(eval([](kt::var<double, n, 0> a) { return kt::cumsum(a, kt::axis<1>); }, {matrix(2, 0, {})}), {2, 0},
               {});
  check_tensor(eval([](kt::var<std::int8_t, n> a) { return kt::cumsum(a); }, {vector({100, 100, -1})}), {3},
               {100, 200, 199});
  const tensor most =
      eval([](kt::var<std::uint64_t, n> a) { return kt::cumsum(a); }, {integers<std::uint64_t>({1, 0, ~0ull, 5})});
  CHECK(most.integers == std::vector<std::int64_t>{1, 1, 0, 5});
  const tensor wrapped = eval([](kt::var<std::int64_t, n> a) { return kt::cumsum(a); },
                              {integers<std::int64_t>({std::numeric_limits<std::int64_t>::max(), 1})});
  CHECK(wrapped.integers[1] == std::numeric_limits<std::int64_t>::min());
}

TEST_CASE("cumsum: gradient") {
  using namespace test;
  const tensor x = matrix(2, 3, {1, 2, 3, 4, 5, 6});
  check_grad([](kt::var<double, n, m> a) { return kt::sqr(kt::cumsum(a, kt::axis<0>)); }, {x});
  check_grad([](kt::var<double, n, m> a) { return kt::exp(kt::cumsum(a, kt::axis<1>) / 9) * a; }, {x});
  check_grad([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::sqr(kt::cumsum(a)) * a), a); },
             {vector({1, -2, 3})});
}
