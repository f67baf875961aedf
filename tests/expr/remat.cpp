// Values that are computed again for their gradients.
#include "support.hpp"

#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include <cmath>

using namespace test;

namespace {

/// Blocks of three layers each, and in a loop, with gradients that read kept values or compute them again.
template <bool IsKept>
constexpr auto layers(kt::var<double, 64, 8> x, kt::var<double, 8, 8> W) {
  const auto block = [&](auto h) {
    for (int i = 0; i < 3; ++i) h = kt::tanh(kt::dot(h, W) + kt::sum(h) * 0.01);
    return h;
  };
  const auto step = [&](auto h) {
    if constexpr (IsKept) return block(h);
    else return kt::remat(block)(h);
  };
  const auto repeated = kt::scan([&](auto row, auto h) { return step(h) + row; },
                                 kt::sequences(kt::stack(kt::axis<0>, x, x, x)), kt::carried(step(step(x))));
  const auto cost = kt::sum(repeated.last * repeated.last);
  return kt::outputs(cost, kt::grad(cost, W), kt::jvp(cost, x, x * x));
}

TEST_CASE("remat: the same gradients with less memory, in a loop too") {
  auto kept = kt::function([](kt::var<double, 64, 8> x, kt::var<double, 8, 8> W) { return layers<true>(x, W); });
  auto again = kt::function([](kt::var<double, 64, 8> x, kt::var<double, 8, 8> W) { return layers<false>(x, W); });
  kt::tensor<double, 2> x({64, 8}, some(512)), W({8, 8}, some(64, 3));
  const auto [cost, of_W, forward] = kept(x, W);
  const auto [cost_again, of_W_again, forward_again] = again(x, W);
  CHECK(are_near(static_cast<double>(cost), static_cast<double>(cost_again), 1e-12));
  CHECK(are_near(static_cast<double>(forward), static_cast<double>(forward_again), 1e-12));
  for (std::int64_t i = 0; i < W.size(); ++i) CHECK(are_near(of_W.data()[i], of_W_again.data()[i], 1e-12));
  CHECK(kt::debug::verify(again, x, W));
  CHECK(kt::stats(again).peak_bytes() * 3 < 2 * kt::stats(kept).peak_bytes());
}

}  // namespace
