#include "../support.hpp"

using namespace test;

TEST_CASE("gradient: composites") {
  const tensor x = matrix(2, 3, {0.3, -1.2, 0.8, 1.5, 0.1, -0.4});
  check_grad([](kt::var<double, n, m> a) { return kt::mean(a, kt::axis<1>); }, {x});
  check_grad([](kt::var<double, n, m> a) { return kt::variance(a, kt::axis<0>); }, {x});
  check_grad([](kt::var<double, n, m> a) { return kt::logsumexp(a, kt::axis<1>); }, {x});
  check_grad([](kt::var<double, n, m> a) { return kt::logsumexp(a); }, {x});
  check_grad([](kt::var<double, n, m> a) { return kt::grad(kt::sum(kt::sqr(kt::logsumexp(a, kt::axis<1>))), a); }, {x});
  check_grad([](kt::var<double, n, m> a) { return kt::clip(a, -1, 1) * kt::relu(a); }, {x});
  check_grad([](kt::var<double, n, 3> a, kt::var<int, n> i) { return kt::sqr(kt::pick(a, i)); }, {x, vector({2, 0})});
}

TEST_CASE("gradient: kinks") {
  const auto of_relu = [](kt::var<double, n> a) { return kt::grad(kt::sum(kt::relu(a)), a); };
  check_values(eval(of_relu, {vector({-1, 0, 1})}), {0, 0, 1});
  const auto of_clip = [](kt::var<double, n> a) { return kt::grad(kt::sum(kt::clip(a, -1, 1)), a); };
  check_values(eval(of_clip, {vector({-2, -1, 0, 1, 2})}), {0, 1, 1, 1, 0});  // on the closed interval
}

TEST_CASE("gradient: shared subexpressions are differentiated once") {
  const auto power = [](kt::var<double, n> a) {
    auto b = a;
    for (int i = 0; i < 5; ++i) b = b * b;  // a to the 32nd
    return b;
  };
  check_grad(power, {vector({0.9, -1.1})});
  kt::typed::with_capture<kt::typed::lambda_function<decltype([](kt::var<double, n> a) {
    auto b = a;
    for (int i = 0; i < 20; ++i) b = kt::tanh(b) + b;
    return kt::grad(kt::sum(b), a);
  })>>([](const kt::graph::graph& g) {
    CHECK(g.size() < 200);  // not 2^20
    return 0;
  });
}

/// Its rule does not ask which gradients are wanted.
struct plain_product : kt::elementwise<plain_product, 2, kt::operands::floating> {
  static constexpr const char* name = "plain_product";
  template <class V>
  static constexpr V apply(const V& x, const V& y) {
    return x * y;
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, b.seed() * b.operand(1));
    b.add(1, b.seed() * b.operand(0));
  }
};
TEST_CASE("gradient: what an earlier call of grad found does not count twice") {
  const auto both = [](kt::var<double, n> a, kt::var<double, n> b) {
    const auto cost = kt::sum(kt::typed::typed_layer::map<plain_product>(a, b));
    return kt::outputs(kt::grad(cost, a), kt::grad(cost, b));
  };
  const auto found = run(both, {vector({2, 3}), vector({5, 7})});
  check_values(found.outputs[0], {5, 7});
  check_values(found.outputs[1], {2, 3});
}

TEST_CASE("gradient: variables one by one, in any order, and all at once make the same nodes") {
  const auto of = [](bool first_alone, bool backwards) {
    kt::graph::graph g;
    kt::graph::array_list<kt::term> x;
    for (int i = 0; i < 4; ++i) {
      g.inputs.push_back({});
      x.push_back({&g, g.add(kt::graph::op<kt::ops::input>, kt::dtype::float64, g.intern({}), {i, 0, 0}, nullptr, 0)});
    }
    const kt::term cost = x[3] * kt::tanh(x[2] * kt::exp(x[1] * x[0]) + x[0]) + x[1];
    kt::graph::array_list<int> found(4, -1);
    for (int i = 0; i < 4 && first_alone; ++i) {
      kt::graph::array_list<kt::term> one(1, x[backwards ? 3 - i : i]);
      found[backwards ? 3 - i : i] = kt::graph::gradients(cost, one)[0].id;
    }
    const int size = g.size();
    const kt::graph::array_list<kt::term> all = kt::graph::gradients(cost, x);
    CHECK((!first_alone || size == g.size()));
    for (int i = 0; i < 4; ++i) CHECK((!first_alone || found[i] == all[i].id));
    return g.size();
  };
  CHECK(of(true, false) == of(false, false));
  CHECK(of(true, true) == of(false, false));
}

TEST_CASE("gradient: with respect to what the cost was computed from") {
  const auto f = [](kt::var<double, n> a) {
    const auto middle = kt::sin(a);
    return kt::grad(kt::sum(kt::exp(middle) * a), middle);
  };
  check_values(eval(f, {vector({0.5, 2})}), {std::exp(std::sin(0.5)) * 0.5, std::exp(std::sin(2.0)) * 2});
  const auto of_itself = [](kt::var<double, n> a) {
    const auto cost = kt::sum(a);
    return kt::grad(cost, cost);
  };
  check_tensor(eval(of_itself, {vector({3})}), {}, {1});
}

TEST_CASE("gradient: third derivative") {
  const auto third = [](kt::var<double> a) { return kt::grad(kt::grad(kt::grad(kt::sin(kt::sqr(a)), a), a), a); };
  const double x = 0.7;  // of sin(x^2): -12 x sin(x^2) - 8 x^3 cos(x^2)
  const double expected = -12 * x * std::sin(x * x) - 8 * x * x * x * std::cos(x * x);
  CHECK(eval(third, {scalar(x)})[0] == doctest::Approx(expected).epsilon(1e-12));
}

TEST_CASE("gradient: a variable that the cost does not depend on is reported") {
  kt::typed::with_capture<kt::typed::lambda_function<decltype([](kt::var<double, n> a, kt::var<double> b) {
    return kt::outputs(kt::grad(kt::sum(a), b), a);
  })>>([](const kt::graph::graph& g) {
    CHECK(g.problem.what == kt::graph::mistake::disconnected_gradient);
    CHECK(g.problem.line == __LINE__ - 3);
    return 0;
  });
  // and also one that it depends on through disconnected_grad only
  kt::typed::with_capture<kt::typed::lambda_function<decltype([](kt::var<double, n> a) {
    return kt::grad(kt::sum(kt::disconnected_grad(a)), a);
  })>>([](const kt::graph::graph& g) {
    CHECK(g.problem.what == kt::graph::mistake::disconnected_gradient);
    return 0;
  });
}

TEST_CASE("gradient: zero through what is piecewise constant") {
  const std::vector<tensor> x = {vector({-1.5, 0, 2.5})};
  const numbers zeros = {0, 0, 0};
  check_values(eval([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::floor(a)), a); }, x), zeros);
  check_values(eval([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::ceil(kt::exp(a))), a); }, x), zeros);
  check_values(eval([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::round(a)), a); }, x), zeros);
  check_values(eval([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::trunc(a)), a); }, x), zeros);
  check_values(eval([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::sign(a)), a); }, x), zeros);
  check_values(
      eval([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::where(a > 0, kt::cast<double>(a < 1), 2)), a); }, x),
      zeros);
  check_values(eval([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::cast<double>(kt::cast<int>(a))), a); }, x),
               zeros);
  // only that path is: the others count
  check_values(eval([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::floor(a) + 3 * a), a); }, x), {3, 3, 3});
  check_grad([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::sqr(a) * kt::floor(a)), a); },
             {vector({-1.4, 0.3, 2.6})});
}

namespace {

struct stairs : kt::elementwise<stairs, 1, kt::operands::floating> {  // of a user, without a derivative
  static constexpr const char* name = "stairs";
  template <class V>
  static constexpr V apply(const V& x) {
    return x;
  }
};

}  // namespace

TEST_CASE("gradient: an operation without a derivative is reported") {
  kt::typed::with_capture<kt::typed::lambda_function<decltype([](kt::var<double, n> a) {
    return kt::grad(kt::sum(a + kt::layer_of<kt::var<double, n>>::map<stairs>(a)), a);
  })>>([](const kt::graph::graph& g) {
    CHECK(g.problem.what == kt::graph::mistake::no_derivative);
    CHECK(g.problem.line == __LINE__ - 3);
    return 0;
  });
}

namespace {

enum class wrong { nothing, operand, looked_at, asked_for, type, rank, extent, axis };

template <wrong What>
struct slope_of_user : kt::elementwise<slope_of_user<What>, 1, kt::operands::floating> {
  static constexpr const char* name = "slope_of_user";
  template <class V>
  static constexpr V apply(const V& x) {
    return x;
  }
  template <class B>
  static constexpr void backward(B& b) {
    const kt::term seed = b.seed();
    if (What == wrong::nothing) b.add(0, seed);
    if (What == wrong::operand) b.add(1, seed);
    if (What == wrong::looked_at) b.add(0, seed * b.operand(-1));
    if (What == wrong::asked_for && b.wants(7)) b.add(0, seed);
    if (What == wrong::type) b.add(0, kt::cast(seed, kt::dtype::float32));
    if (What == wrong::rank) b.add(0, kt::sum(seed));
    if (What == wrong::axis) b.add(0, kt::sum(seed, kt::axis<1>) + seed);
    if (What == wrong::extent) b.add_where(0, seed == seed, kt::graph::slice_term(seed, {0, 1, 0}, 2));
  }
};
template <wrong What>
kt::graph::diagnosis of_rule() {
  return kt::typed::with_capture<kt::typed::lambda_function<decltype([](kt::var<double, 3> a) {
    return kt::grad(kt::sum(kt::layer_of<kt::var<double, 3>>::map<slope_of_user<What>>(a)), a);
  })>>([](const kt::graph::graph& g) { return g.problem; });
}

}  // namespace

TEST_CASE("gradient: what a backward rule adds is a gradient of an operand") {
  CHECK(of_rule<wrong::nothing>().what == kt::graph::mistake::none);
  CHECK(of_rule<wrong::operand>().what == kt::graph::mistake::backward);
  CHECK(of_rule<wrong::looked_at>().what == kt::graph::mistake::backward);
  CHECK(of_rule<wrong::asked_for>().what == kt::graph::mistake::backward);
  CHECK(of_rule<wrong::type>().what == kt::graph::mistake::backward);
  CHECK(of_rule<wrong::rank>().what == kt::graph::mistake::backward);
  CHECK(of_rule<wrong::extent>().what == kt::graph::mistake::backward);
  CHECK(of_rule<wrong::axis>().what == kt::graph::mistake::backward);
  CHECK(of_rule<wrong::rank>().line > 100);
}

namespace {

struct network : kt::model {
  kt::shared<double, 3, 4> W1{this, "W1"};
  kt::shared<double, 4> b1{this, "b1"};
  kt::shared<double, 4, 5> W2{this, "W2"};
  kt::shared<double, 5> b2{this, "b2"};
  kt::shared<double, 5, 2> W3{this, "W3"};
  constexpr auto cost(kt::var<double, n, 3> x, kt::var<int, n> label) const {
    const auto h = kt::tanh(kt::dot(x, W1) + b1);
    const auto z = kt::dot(kt::softplus(kt::dot(h, W2) - b2), W3);
    return kt::mean(kt::logsumexp(z, kt::axis<1>) - kt::pick(z, label));
  }
};

}  // namespace

TEST_CASE("gradient: a network of three layers") {
  const std::vector<tensor> inputs = {matrix(2, 3, {0.3, -1.2, 0.8, 1.5, 0.1, -0.4}), vector({1, 0})};
  check_report(kt::debug::verify_grad<&network::cost>(inputs));
}
