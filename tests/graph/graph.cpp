#include "../support.hpp"

// The same checks while compiling and at run time.
namespace {

constexpr int nodes_of_shared_subexpressions() {
  kt::graph::graph g;
  kt::shape s;
  s.append(3);
  g.inputs.push_back({});
  const kt::term x{&g, g.add(kt::graph::op<kt::ops::input>, kt::dtype::float32, g.intern(s), {0, 0, 0}, nullptr, 0)};
  const kt::term a = kt::exp(x) + kt::exp(x);
  const kt::term b = kt::exp(x) + kt::exp(x);
  return a.id == b.id ? g.size() : -1;
}

constexpr bool different_nodes_stay_apart() {
  kt::graph::graph g;
  kt::shape s;
  s.append(3);
  const int shape = g.intern(s), scalar = g.intern({});
  g.shared.push_back({});
  for (int i = 0; i < 2; ++i) g.inputs.push_back({});
  const int x = g.add(kt::graph::op<kt::ops::input>, kt::dtype::float32, shape, {0, 0, 0}, nullptr, 0);
  const int other_position = g.add(kt::graph::op<kt::ops::input>, kt::dtype::float32, shape, {1, 0, 0}, nullptr, 0);
  const int other_type = g.add(kt::graph::op<kt::ops::input>, kt::dtype::float64, shape, {0, 0, 0}, nullptr, 0);
  const int other_shape = g.add(kt::graph::op<kt::ops::input>, kt::dtype::float32, scalar, {0, 0, 0}, nullptr, 0);
  const int other_operation = g.add(kt::graph::op<kt::ops::shared>, kt::dtype::float32, shape, {0, 0, 0}, nullptr, 0);
  const int again = g.add(kt::graph::op<kt::ops::input>, kt::dtype::float32, shape, {0, 0, 0}, nullptr, 0);
  return again == x && g.size() == 5 && other_position == 1 && other_type == 2 && other_shape == 3 &&
         other_operation == 4;
}

constexpr bool survives_growing() {  // the table of hashes is rebuilt several times
  kt::graph::graph g;
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 300; ++i)
      if (kt::graph::constant(g, kt::dtype::float64, i).id != i) return false;
  return g.size() == 300;
}

constexpr bool shapes_are_interned() {
  kt::graph::graph g;
  kt::shape a, b;
  a.append(2), b.append(3);
  return g.intern(a) == 0 && g.intern(b) == 1 && g.intern(a) == 0 && g.shapes.size() == 2;
}

constexpr bool first_problem_is_kept() {
  kt::graph::graph g;
  g.report({.what = kt::graph::mistake::unused_argument, .line = 1, .argument = 2});
  g.report(kt::graph::mistake::slice_bound);
  return g.problem == kt::graph::diagnosis{.what = kt::graph::mistake::unused_argument, .line = 1, .argument = 2};
}

constexpr bool thawed_is_the_same() {
  constexpr auto model = [](kt::var<float, test::n> x) { return kt::sum(kt::exp(x) * 2); };
  using capture = kt::typed::captured<kt::typed::lambda_function<std::remove_const_t<decltype(model)>>>;
  kt::graph::graph g;
  kt::graph::thaw(capture::value, g);
  if (g.size() != capture::size.nodes || g.outputs.size() != 1) return false;
  for (int i = 0; i < g.size(); ++i)
    if (!(g.nodes[i] == capture::value.nodes[i])) return false;
  return g.outputs[0] == capture::value.outputs[0];
}

static_assert(nodes_of_shared_subexpressions() == 3);
static_assert(different_nodes_stay_apart());
static_assert(survives_growing());
static_assert(shapes_are_interned());
static_assert(first_problem_is_kept());
static_assert(thawed_is_the_same());

}  // namespace

TEST_CASE("graph: equal subexpressions are one node") {
  CHECK(nodes_of_shared_subexpressions() == 3);
  CHECK(different_nodes_stay_apart());
  CHECK(survives_growing());
}

TEST_CASE("graph: shapes, problems, freezing") {
  CHECK(shapes_are_interned());
  CHECK(first_problem_is_kept());
  CHECK(thawed_is_the_same());
}

TEST_CASE("graph: two parameters of one type are two nodes, in order") {
  using namespace test;
  kt::typed::with_capture<
      kt::typed::lambda_function<decltype([](kt::var<float, n> x, kt::var<int, n> y) { return kt::outputs(x, y); })>>(
      [](const kt::graph::graph& g) {
        CHECK(g.inputs.size() == 2);
        CHECK(g.inputs[0].type == kt::dtype::float32);
        CHECK(g.inputs[1].type == kt::dtype::int32);
        return 0;
      });
}
