#include <kroton/expr/random.hpp>
#include <kroton/nn/dropout.hpp>

#include "../../support.hpp"

using namespace test;

namespace {

/// The state {seed, calls} as the reference is given it.
std::vector<tensor> state(std::uint64_t seed, std::uint64_t calls) { return {integers<std::uint64_t>({seed, calls})}; }

template <class Lambda>
kt::reference::results draw(Lambda, const std::vector<tensor>& inputs, std::uint64_t seed, std::uint64_t calls) {
  return kt::typed::with_capture<kt::typed::lambda_function<Lambda>>(
      [&](kt::graph::graph& g) { return run_graph(g, inputs, state(seed, calls), {}); });
}

}  // namespace

TEST_CASE("random_bits: of the seed, the call, the draw and the position") {
  const auto two = [](kt::var<double, n> x) {
    const auto first = kt::random::uniform<double, n, 3>(), second = kt::random::uniform<double, n, 3>();
    return kt::outputs(first * kt::reshape<n, 1>(x), second, kt::transpose(first));
  };
  const auto found = draw(two, {vector({1, 1})}, 7, 5);
  const auto expected = [](std::uint64_t at, std::uint64_t draw_of) {
    return std::ldexp(static_cast<double>(kt::arithmetic::random_bits<std::uint64_t>(at, (draw_of << 48) + 5, 7) >> 12),
                      -52);
  };
  for (std::uint64_t i = 0; i < 6; ++i) {
    CHECK(found.outputs[0].values[i] == expected(i, 0));
    CHECK(found.outputs[1].values[i] == expected(i, 1));
    CHECK(found.outputs[2].values[i] == expected(i % 2 * 3 + i / 2, 0));
  }
  CHECK(found.updates[0].integers == std::vector<std::int64_t>{7, 6});
  check_tensor(draw(two, {vector({})}, 7, 5).outputs[1], {0, 3}, {});
}

TEST_CASE("random_below: of the seed, the call, the draw, the position and the bound") {
  const auto found = draw(
      [](kt::var<double, n> x, kt::var<double> p) {
        const auto fixed = kt::nn::dropout(x, 0.25), given = kt::nn::dropout(x, p), none = kt::nn::dropout(x, 1),
                   all = kt::nn::dropout(x, 0), half = kt::nn::dropout(kt::sqr(x), 0.5);
        return kt::outputs(fixed, given, none, all, kt::grad(kt::sum(half), x));
      },
      {vector(std::vector<double>(200, 1)), scalar(0.9)}, 7, 5);
  const auto is_below = [](std::uint64_t at, std::uint64_t draw_of, std::uint64_t bound) {
    return kt::arithmetic::is_below(at, (draw_of << 48) + 5, 7, bound);
  };
  const double all = 65536, most = std::round(0.9 * all);
  for (std::uint64_t i = 0; i < 200; ++i) {
    CHECK(found.outputs[0].values[i] == doctest::Approx(is_below(i, 0, 1 << 14) ? 0 : 4.0 / 3));
    CHECK(found.outputs[1].values[i] ==
          doctest::Approx(is_below(i, 1, static_cast<std::uint64_t>(most)) ? 0 : all / (all - most)));
    CHECK(found.outputs[2].values[i] == 0);
    CHECK(found.outputs[3].values[i] == 1);
    CHECK(found.outputs[4].values[i] == (is_below(i, 4, 1 << 15) ? 0 : 4));
  }
}

TEST_CASE("random_bits: the number of a draw has 15 bits") {
  kt::graph::graph g;
  g.draws = kt::graph::most_draws;
  const kt::term last = kt::graph::draw_number(g);
  CHECK(kt::graph::extent_form::of(last.get().attr).extent == std::int64_t{32767} << 48);
  CHECK(g.problem.what == kt::graph::mistake::none);
  kt::graph::draw_number(g);
  CHECK(g.problem.what == kt::graph::mistake::draws);
}
