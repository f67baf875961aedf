#include "../../support.hpp"

TEST_CASE("where") {
  using namespace test;
  const auto choose = [](kt::var<bool, n, 1> c, kt::var<double, m> x, kt::var<double> y) { return kt::where(c, x, y); };
  check_tensor(eval(choose, {matrix(2, 1, {1, 0}), vector({1, inf}), scalar(quiet_nan)}), {2, 2},
               {1, inf, quiet_nan, quiet_nan});
  check_tensor(eval(choose, {matrix(0, 1, {}), vector({1, 2}), scalar(3)}), {0, 2}, {});
  check_grad(choose, {matrix(2, 1, {1, 0}), vector({1, 2}), scalar(3)});
  const auto of_integers = [](kt::var<bool, n> c, kt::var<int, n> x) { return kt::where(c, x, -1); };
  check_tensor(eval(of_integers, {vector({1, 0}), vector({5, 6})}), {2}, {5, -1});
}

TEST_CASE("where: the branch that is not taken leaks no NaN into the gradient") {
  using namespace test;
  const auto f = [](kt::var<double, n> x) { return kt::grad(kt::sum(kt::where(x > 0, x * x, 3 * x)), x); };
  check_tensor(eval(f, {vector({2, -2, inf, quiet_nan})}), {4}, {4, 3, inf, 3});
  const auto g = [](kt::var<double, n> x, kt::var<double, n> y) {
    return kt::grad(kt::sum(kt::where(x > 0, y, kt::exp(x))), y);
  };
  check_tensor(eval(g, {vector({2, -2}), vector({inf, inf})}), {2}, {1, 0});
}

namespace {

using namespace test;

/// The gradient of sum(f(x)) is `expected` at the vector or matrix `x`, where branches that are not taken have infinite
/// slopes or no value.
template <class F>
void check_vector(F, const tensor& x, const numbers& expected) {
  check_values(eval([](kt::var<double, n> a) { return kt::grad(kt::sum(F{}(a)), a); }, {x}), expected);
}
template <class F>
void check_matrix(F, const tensor& x, const numbers& expected) {
  check_values(eval([](kt::var<double, n, m> a) { return kt::grad(kt::sum(F{}(a)), a); }, {x}), expected);
}

}  // namespace

TEST_CASE("where: what gets no gradient stays without one, whatever is between it and the slope") {
  const tensor x = vector({0, 1, 4}), rows = matrix(2, 2, {0, 0, 1, 4});
  const double of_product = (std::sin(2) + 2 * std::cos(2)) / 4;  // the derivative of r sin(r), r = sqrt(x), at 4
  check_vector(
      [](auto a) {
        auto r = kt::sqrt(a);
        return kt::where(a > 1, r * kt::sin(r), 0);
      },
      x, {0, 0, of_product});
  // sums of what is masked, by the same condition, by other ones, and by opposite ones
  check_vector(
      [](auto a) {
        auto l = kt::log(a);
        return kt::where(a > 0, l * l + l, 0);
      },
      x, {0, 1, (2 * std::log(4) + 1) / 4});
  check_vector([](auto a) { return kt::where(a > 0, kt::sqrt(a), 0) + kt::where(a > 1, kt::sqrt(a), 0); }, x,
               {0, 0.5, 0.5});
  check_vector(
      [](auto a) {
        auto r = kt::sqrt(a);
        return kt::where(a > 1, r, 0) + kt::where(a > 1, 0, 2 * a) + kt::where(a > 0, r, a);
      },
      x, {3, 2.5, 0.5});
  check_vector([](auto a) { return kt::where(a > 0, kt::where(a > 1, kt::sqrt(a - 1), kt::log(a)), kt::log(1 - a)); },
               x, {-1, 1, 0.5 / std::sqrt(3)});
  check_vector([](auto a) { return kt::where(a > 0, kt::where(a > 1, kt::sqrt(a - 1), 3 * a) * kt::log(a), 7 * a); }, x,
               {7, 3, std::log(4) / 2 / std::sqrt(3) + std::sqrt(3) / 4});
  // views
  check_matrix([](auto a) { return kt::where(kt::transpose(a) > 0, kt::transpose(kt::sqrt(a)), 0); }, rows,
               {0, 0, 0.5, 0.25});
  check_matrix([](auto a) { return kt::where(kt::reshape<kt::any>(a) > 0, kt::reshape<kt::any>(kt::sqrt(a)), 0); },
               rows, {0, 0, 0.5, 0.25});
  check_vector([](auto a) { return kt::where(a[kt::rows(0, 2)] > 0, kt::sqrt(a)[kt::rows(0, 2)], 0); }, x, {0, 0.5, 0});
  check_vector(
      [](auto a) {
        return kt::where(kt::concatenate(kt::axis<0>, a, a) > 0, kt::concatenate(kt::axis<0>, kt::sqrt(a), kt::log(a)),
                         0);
      },
      x, {0, 1.5, 0.5});
  check_vector(
      [](auto a) {
        auto w = kt::cast<float>(kt::sqrt(a));
        return kt::where(w > 0, w, 0);
      },
      x, {0, 0.5, 0.25});
  check_vector([](auto a) { return kt::where(a > 0, kt::grad_scale(kt::sqrt(a), 2), 0); }, x, {0, 1, 0.5});
  // reductions and broadcasting
  check_matrix(
      [](auto a) {
        auto s = kt::sum(a, kt::axis<1>, kt::keep_dims);
        return kt::where(s > 0, kt::sqr(a / s), 0);
      },
      rows, {0, 0, -0.192, 0.048});
  check_matrix(
      [](auto a) {
        auto s = kt::sqrt(kt::sum(a, kt::axis<1>));
        return kt::where(s > 0, s, 0);
      },
      rows, {0, 0, 0.5 / std::sqrt(5), 0.5 / std::sqrt(5)});
  check_matrix(
      [](auto a) {
        auto s = kt::sum(kt::sqrt(a), kt::axis<1>);
        return kt::where(s > 0, s, 0);
      },
      rows, {0, 0, 0.5, 0.25});
  check_matrix(
      [](auto a) {
        auto s = kt::max(kt::sqrt(a), kt::axis<1>);
        return kt::where(s > 0, s, 0);
      },
      rows, {0, 0, 0, 0.25});
  check_matrix(
      [](auto a) {
        auto s = kt::prod(kt::sqrt(a), kt::axis<1>);
        return kt::where(s > 0, s, 0);
      },
      rows, {0, 0, 1, 0.25});
  check_matrix(
      [](auto a) {
        auto s = kt::sqrt(kt::variance(a, kt::axis<1>));
        return kt::where(s > 0, s, 0);
      },
      rows, {0, 0, -0.5, 0.5});
  check_matrix(
      [](auto a) {
        auto l = kt::logsumexp(kt::log(a), kt::axis<1>);
        return kt::where(l > 0, l, 0);
      },
      rows, {0, 0, 0.2, 0.2});
  check_vector(
      [](auto a) {
        auto r = kt::sqrt(kt::min(a));
        return kt::where(a > 1, r * a, kt::where(r > 0, r, 0));
      },
      vector({1, 4}), {0.5 * 5, 1});
  check_vector(
      [](auto a) {
        auto s = kt::sum(a);
        return kt::where(a > 9, a * kt::sqrt(s - 5), 0);
      },
      x, {0, 0, 0});
  // rows by index
  check_vector(
      [](auto a) {
        auto i = kt::cast<int>(a > 1);
        return kt::where(kt::take(a, i) > 0, kt::take(kt::sqrt(a), i), 0);
      },
      x, {0, 0.5, 0});
  // the larger of two, where the other has no slope
  check_vector([](auto a) { return kt::maximum(kt::log(a), -1) + kt::minimum(kt::sqrt(a), 1); }, vector({0, 0.25, 4}),
               {inf, 1, 0.25});
  // second derivatives: of x sqrt(x)
  check_vector([](auto a) { return kt::grad(kt::sum(kt::where(a > 0, a * kt::sqrt(a), 0)), a); }, x, {0, 0.75, 0.375});
}
