#include <kroton/expr/random.hpp>

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

TEST_CASE("random_bits: the number of a draw has 15 bits") {
  kt::graph::graph g;
  g.draws = kt::graph::most_draws;
  const kt::term last = kt::graph::draw_number(g);
  CHECK(kt::graph::extent_form::of(last.get().attr).extent == std::int64_t{32767} << 48);
  CHECK(g.problem.what == kt::graph::mistake::none);
  kt::graph::draw_number(g);
  CHECK(g.problem.what == kt::graph::mistake::draws);
}
