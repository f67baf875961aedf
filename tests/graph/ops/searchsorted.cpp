#include "../../support.hpp"

#include <kroton/kroton.hpp>

TEST_CASE("searchsorted: before and behind equal elements, of extremes and of integers") {
  using namespace test;
  using counts = std::vector<std::int64_t>;
  const tensor bounds = vector({-inf, 1, 3, 3, 7, inf, quiet_nan}), x = vector({3, 0, 8, -inf, inf, quiet_nan, -0.0});
  const auto left = [](kt::var<double, n> b, kt::var<double, m> v) { return kt::searchsorted(b, v); };
  const auto right = [](kt::var<double, n> b, kt::var<double, m> v) { return kt::searchsorted(b, v, kt::right_side); };
  CHECK(eval(left, {bounds, x}).integers == counts{2, 1, 5, 0, 5, 6, 1});
  CHECK(eval(right, {bounds, x}).integers == counts{4, 1, 5, 1, 6, 7, 1});
  CHECK(eval(left, {vector({}), x}).integers == counts(7, 0));
  CHECK(eval(right, {bounds, vector({})}).integers.empty());
  CHECK(eval([](kt::var<std::uint8_t, n> b, kt::var<std::uint8_t, 2, 2> v) { return kt::searchsorted(b, v); },
             {integers<std::uint8_t>({0, 9, 255}), tensor{{2, 2}, {0, 1, 254, 255}}})
            .integers == counts{0, 1, 2, 2});
}
