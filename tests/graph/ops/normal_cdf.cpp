#include "../../support.hpp"

TEST_CASE("normal_cdf") {
  using namespace test;
  check_unary([](kt::var<double, n> x) { return kt::normal_cdf(x); },
              [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); });
  const tensor x = vector({-3, -0.75, 0, 0.7, 2});
  check_grad([](kt::var<double, n> a) { return kt::normal_cdf(a); }, {x});
  check_grad([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::normal_cdf(a)), a); }, {x});
  const auto slope = [](kt::var<double, n> a) { return kt::grad(kt::sum(kt::normal_cdf(a)), a); };
  check_values(eval(slope, {vector({-inf, -1e200, 0, 1e200, inf})}), {0, 0, 0.3989422804014327, 0, 0});
  // 0.5 * erfc(37 / sqrt(2)), of which the rounding of the quotient would be 1,300 units in the last place
  check_values(eval([](kt::var<double, n> a) { return kt::normal_cdf(a); }, {vector({-37, -20, -10})}),
               {5.725571222524576e-300, 2.7536241186062337e-89, 7.61985302416052e-24});
}
