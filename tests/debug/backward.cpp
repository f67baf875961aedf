#include <kroton/runtime/reference/backward.hpp>

#include "../support.hpp"

namespace {

using namespace test;

/// Operations of a user whose derivatives are wrong: by a factor, only beyond 1, and NaN where none is asked for.
struct doubled : kt::elementwise<doubled, 1, kt::operands::floating> {
  static constexpr const char* name = "doubled";
  template <class V>
  static constexpr V apply(const V& x) {
    return x + x;
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, 3 * b.seed());
  }
};
struct cubed : kt::elementwise<cubed, 1, kt::operands::floating> {
  static constexpr const char* name = "cubed";
  template <class V>
  static constexpr V apply(const V& x) {
    return x * x * x;
  }
  template <class B>
  static constexpr void backward(B& b) {
    const kt::term square = kt::sqr(b.operand(0));
    b.add(0, kt::where(b.operand(0) > 1, 2 * square, 3 * square) * b.seed());
  }
};
struct leaking : kt::elementwise<leaking, 1, kt::operands::floating> {
  static constexpr const char* name = "leaking";
  static constexpr bool linear = true;  // which it is not at 0
  template <class V>
  static constexpr V apply(const V& x) {
    return std::sqrt(x);
  }
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, b.seed() / (2 * b.result()));
  }
};
template <class Op, class X>
constexpr auto mine(const X& x) {
  return kt::layer_of<X>::template map<Op>(x);
}

template <class F>
std::vector<kt::reference::wrong_gradient> wrong(F, const std::vector<tensor>& inputs) {
  return kt::typed::with_capture<kt::typed::lambda_function<F>>([&](const kt::graph::graph& g) {
    CHECK(g.gradients.size() > 0);
    return kt::reference::wrong_gradients(g, inputs);
  });
}

}  // namespace

TEST_CASE("backward: right gradients of every kind of operation") {
  const tensor x = matrix(2, 3, {0.3, -1.2, 0.8, 1.5, 0.1, -0.4});
  CHECK(wrong(
            [](kt::var<double, n, m> a) {
              auto views = kt::concatenate(kt::axis<0>, kt::transpose(a), kt::transpose(kt::exp(a)), kt::transpose(a));
              auto rows = kt::take(a, kt::cast<int>(a > 0)[kt::rows(0, 1)]);
              auto cost = kt::sum(kt::sqr(views[kt::rows(1, 5)])) + kt::sum(rows * 3) + kt::prod(a) + kt::max(a) +
                          kt::min(a) + kt::sum(kt::dot(a, kt::transpose(a)) * 0.1) +
                          kt::mean(kt::reshape<kt::any>(kt::floor(a) * a)) +
                          kt::sum(a / kt::sum(kt::exp(a), kt::axis<1>, kt::keep_dims)) + kt::sum(kt::maximum(a, 0.2)) +
                          kt::sum(kt::grad_clip(a, -0.1, 0.1) + kt::grad_scale(a, 2) + kt::disconnected_grad(a) * a);
              auto first = kt::grad(cost, a);
              return kt::outputs(first, kt::grad(kt::sum(kt::sin(first)), a));
            },
            {x})
            .empty());
  const auto of_where = [](kt::var<double, n> a) {
    auto first = kt::grad(kt::sum(kt::where(a > 0, a * kt::sqrt(a), kt::where(a < -1, kt::log(-a), 0))), a);
    return kt::outputs(first, kt::grad(kt::sum(first * a), a));
  };
  CHECK(wrong(of_where, {vector({0, 1, 4, -1, -3})}).empty());
  CHECK(wrong(of_where, {vector({})}).empty());
  // nothing is said of kinks, of jumps, of infinite slopes, nor of what cancels
  CHECK(wrong([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::atan2(a, 0.0)), a); }, {vector({0, 2})}).empty());
  CHECK(wrong([](kt::var<double, n> a) { return kt::grad(kt::sum(kt::abs(a) + kt::sqrt(a) + kt::log(1 - a)), a); },
              {vector({0, 1 - 1e-13})})
            .empty());
}

TEST_CASE("backward: wrong gradients are found") {
  const auto f = [](kt::var<double, n> a, kt::var<double, n> b) {
    auto cost = kt::sum(mine<doubled>(a) * b + mine<cubed>(b));
    auto of_b = kt::grad(cost, b), of_a = kt::grad(cost, a);
    return kt::outputs(of_b, of_a);
  };
  const auto found = wrong(f, {vector({1, 2}), vector({0.5, 2})});
  REQUIRE(found.size() == 2);
  CHECK(found[0].where == "gradient 1 (of argument 2) at 1");
  CHECK(found[0].found == doctest::Approx(2 * 2 + 2 * 4));
  CHECK(found[0].expected == doctest::Approx(2 * 2 + 3 * 4));
  CHECK(found[1].where == "gradient 2 (of argument 1) at 0");
  CHECK(found[1].expected == doctest::Approx(1));
  CHECK(wrong(f, {vector({1, 2}), vector({0, 0.5})}).size() == 1);
  const auto of_zero = [](kt::var<double, n> a) {
    return kt::grad(kt::sum(kt::where(a > 0, mine<leaking>(a), 0) + kt::where(a > 1, mine<leaking>(a), 0)), a);
  };
  const auto leak = wrong(of_zero, {vector({4, 0})});
  REQUIRE(leak.size() == 1);
  CHECK(leak[0].where == "gradient 1 (of argument 1) at 1");
  CHECK(std::isnan(leak[0].found));
  CHECK(leak[0].expected == 0);
}
