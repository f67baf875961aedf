#include <kroton/graph/names.hpp>
#include <kroton/optim/sgd.hpp>

#include "../support.hpp"

#include <string>

using namespace test;

namespace {

/// A recurrent network: the state before the first step is made of nothing, as are the weights of its result.
constexpr auto recurrent = [](kt::var<double, 3, n, 2> x, kt::var<double, 2, 2> w) {
  kt::var<double, n, 2> state = kt::zeros<double, n, 2>();
  for (int t = 0; t < 3; ++t) state = kt::tanh(kt::reshape<n, 2>(x[kt::rows(t, t + 1)]) + kt::dot(state, w));
  return kt::sum(state * kt::arange<double, 2>()) / kt::extent<double>(n);
};

}  // namespace

TEST_CASE("made: tensors of nothing beside arguments") {
  const std::vector<tensor> x = {matrix(2, 3, {1, 2, 3, 4, 5, 6})};
  const auto with = [&](auto f, const std::vector<std::int64_t>& extents, const numbers& expected) {
    check_tensor(eval(f, x), extents, expected);
  };
  with([](kt::var<double, n, 3> a) { return a + kt::zeros<double, n, 3>() + kt::ones<double, 3>(); }, {2, 3},
       {2, 3, 4, 5, 6, 7});
  with([](kt::var<double, n, 3> a) { return kt::full<double, n, 1>(2.5) * a; }, {2, 3}, {2.5, 5, 7.5, 10, 12.5, 15});
  with(
      [](kt::var<double, n, 3> a) {
        return kt::concatenate(kt::axis<0>, kt::zeros<double, 1, 3>(), kt::ones_like(a), kt::full_like(a, -1));
      },
      {5, 3}, {0, 0, 0, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1});
  with(
      [](kt::var<double, n, 3> a) {
        return kt::dot(a, kt::eye<double, 3, 4>()) + kt::zeros_like(kt::dot(a, kt::eye<double, 3, 4>()));
      },
      {2, 4}, {1, 2, 3, 0, 4, 5, 6, 0});
  with(
      [](kt::var<double, n, 3> a) {
        return kt::where(kt::arange<int, 3>() < 1, a, kt::reshape<n, 1>(kt::arange<double, n>() * 10));
      },
      {2, 3}, {1, 0, 0, 4, 10, 10});
  with([](kt::var<double, n, 3> a) { return kt::take(a, kt::arange<int, n>()[kt::rows(1, kt::extent(n))]); }, {1, 3},
       {4, 5, 6});
  with(
      [](kt::var<double, n, 3> a) { return kt::pick(kt::eye<double, 3>(), kt::argmax(kt::transpose(a), kt::axis<1>)); },
      {3}, {0, 1, 0});
  with([](kt::var<double, n, 3> a) { return kt::stack(kt::axis<0>, kt::sum(a, kt::axis<0>), kt::ones<double, 3>()); },
       {2, 3}, {5, 7, 9, 1, 1, 1});
  with([](kt::var<double, n, 3> a) { return kt::sum(a) * kt::cast<double>(kt::extent(n)); }, {}, {42});
  // of an argument, only the extent
  with([](kt::var<double, n, 3>) { return kt::arange<float, n>() * 0.5; }, {2}, {0, 0.5});
  with([](kt::var<double, n, 3>) { return kt::sum(kt::sqr(kt::arange<int, n>() - kt::full<int, n>(3))); }, {}, {13});
  // an extent must fit the element type
  const auto counted = [](kt::var<double, n>) {
    return kt::outputs(kt::arange<std::uint8_t, n>(), kt::extent<std::uint8_t>(n));
  };
  check_values({run(counted, {vector(numbers(255))}).outputs[1]}, {255});
  CHECK_THROWS_AS(run(counted, {vector(numbers(256))}), kt::value_error);
}

TEST_CASE("made: several at a time, and one twice") {
  const auto f = [](kt::var<double, n> a) {
    auto p = kt::arange<double, n>(), q = kt::ones<double, n>();
    auto first = p + q, second = q - p;            // meet in the graph of one of them
    auto third = kt::exp(a * first) + second * p;  // which goes into that of a
    return kt::outputs(third - kt::exp(a * first), kt::sqr(second), first, kt::zeros<float, 2>());
  };
  const auto r = run(f, {vector({1, 2, 3})});
  check_values(r.outputs[0], {0, 0, -2});
  check_values(r.outputs[1], {1, 0, 1});
  check_values(r.outputs[2], {1, 2, 3});
  check_values(r.outputs[3], {0, 0});
  check_values(eval([] { return kt::arange<int, 3>() * 2; }, {}), {0, 2, 4});
}

TEST_CASE("made: gradients") {
  tensor x{{3, 2, 2}, {0.1, 0.2, -0.3, 0.4, 0.5, -0.6, 0.7, 0.8, -0.9, 1, 1.1, 1.2}};
  check_grad(recurrent, {x, matrix(2, 2, {0.3, -0.2, 0.5, 0.1})});
  const auto of_made = [](kt::var<double, n> a) {
    auto z = kt::full<double, n>(2);
    return kt::grad(kt::sum(kt::sqr(z) * a), z);
  };
  check_values(eval(of_made, {vector({1, 3})}), {4, 12});
}

namespace {

struct block : kt::model {
  using kt::model::model;
  kt::shared<double, 2> w{this, "w"};
  kt::state<double, 2> average{this, "average"};
};
struct several : kt::model {
  block first{this, "first"}, second{this, "second"};
  kt::shared<double> bias{this, "bias"};
  kt::state<int> steps{this, "steps", kt::init::constant(5)};
  constexpr auto cost(kt::var<double, n, 2> x) const {
    return kt::mean(kt::sqr(kt::dot(x, first.w) + kt::dot(x, second.w) + bias + kt::dot(x, first.average)));
  }
  constexpr auto train(kt::var<double, n, 2> x) const {
    auto c = cost(x);
    return kt::outputs(c).updates(kt::optim::sgd(c, parameters() - second.parameters() + kt::parameters(bias), 0.5),
                                  kt::update(first.average, kt::zeros<double, 2>()) + kt::update(steps, steps + 1));
  }
};

}  // namespace

TEST_CASE("parameters: state is none, lists are joined and subtracted") {
  const several model;
  CHECK(model.parameters().items.size() == 3);
  CHECK(model.first.parameters().items.size() == 1);
  const auto names = [&](const kt::parameter_list& list) {
    std::string text;
    for (const kt::term& p : list.items)
      text += std::string(std::string_view(
                  kt::graph::name_of_shared(model.captured(), kt::graph::variable_form::of(p.get().attr).position))) +
              " ";
    return text;
  };
  CHECK(names(model.parameters()) == "first.w second.w bias ");
  CHECK(names(model.parameters() - model.first.parameters()) == "second.w bias ");
  CHECK(names(kt::parameters(model.bias, model.steps) + model.parameters()) == "bias steps first.w second.w ");
  CHECK(names(model.first.parameters() - model.parameters()).empty());
  CHECK(names(kt::parameters()).empty());
  const auto r = run<&several::train>(
      {matrix(1, 2, {1, 2})}, {vector({1, 0}), vector({7, 7}), vector({0, 1}), vector({8, 8}), scalar(3), scalar(5)});
  REQUIRE(r.updates.size() == 4);
  check_values(r.updates[0], {1 - 0.5 * 2 * 27, -0.5 * 2 * 27 * 2});  // of first.w; the error is 1 + 2 + 3 + 21
  check_values(r.updates[1], {3 - 27});
  check_values(r.updates[2], {0, 0});
  check_values(r.updates[3], {6});
}
