// Derivatives of every differentiable operation, of second order too, are found while compiling: clang wants what they
// call to be defined by then, where g++ is content with less.
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

namespace kt = kroton;

namespace {

constexpr struct n : kt::dim<n> {} n;

template <class Lambda>
constexpr kt::graph::mistake mistake_of(Lambda) {
  return kt::typed::captured<kt::typed::lambda_function<Lambda>>::value.problem.what;
}
template <class Cost>
constexpr auto twice(const Cost& cost, kt::var<double, n> x) {
  auto first = kt::grad(cost, x);
  return kt::grad(kt::sum(first * x), x) + x;  // so that the argument is used
}

#define DIFFERENTIABLE(name)                                                                       \
  static_assert(mistake_of([](kt::var<double, n> x) { return twice(kt::sum(kt::name(x)), x); }) == \
                kt::graph::mistake::none)
DIFFERENTIABLE(abs);
DIFFERENTIABLE(acos);
DIFFERENTIABLE(acosh);
DIFFERENTIABLE(asin);
DIFFERENTIABLE(asinh);
DIFFERENTIABLE(atan);
DIFFERENTIABLE(atanh);
DIFFERENTIABLE(ceil);
DIFFERENTIABLE(cos);
DIFFERENTIABLE(cosh);
DIFFERENTIABLE(erf);
DIFFERENTIABLE(erfc);
DIFFERENTIABLE(exp);
DIFFERENTIABLE(exp2);
DIFFERENTIABLE(expm1);
DIFFERENTIABLE(floor);
DIFFERENTIABLE(log);
DIFFERENTIABLE(log10);
DIFFERENTIABLE(log1p);
DIFFERENTIABLE(log2);
DIFFERENTIABLE(log_erfc);
DIFFERENTIABLE(logsumexp);
DIFFERENTIABLE(max);
DIFFERENTIABLE(mean);
DIFFERENTIABLE(min);
DIFFERENTIABLE(nn::gelu);
DIFFERENTIABLE(nn::gelu_tanh);
DIFFERENTIABLE(normal_cdf);
DIFFERENTIABLE(normal_pdf);
DIFFERENTIABLE(normal_quantile);
DIFFERENTIABLE(prod);
DIFFERENTIABLE(relu);
DIFFERENTIABLE(round);
DIFFERENTIABLE(sigmoid);
DIFFERENTIABLE(sign);
DIFFERENTIABLE(sin);
DIFFERENTIABLE(sinh);
DIFFERENTIABLE(softplus);
DIFFERENTIABLE(sqr);
DIFFERENTIABLE(sqrt);
DIFFERENTIABLE(sum);
DIFFERENTIABLE(tan);
DIFFERENTIABLE(tanh);
DIFFERENTIABLE(trunc);
DIFFERENTIABLE(variance);
#undef DIFFERENTIABLE

#define DIFFERENTIABLE_IN_BOTH(name)                                                  \
  static_assert(mistake_of([](kt::var<double, n> x, kt::var<double, n> y) {           \
                  return twice(kt::sum(kt::name(x, y)) + kt::sum(kt::name(y, x)), x); \
                }) == kt::graph::mistake::none)
DIFFERENTIABLE_IN_BOTH(atan2);
DIFFERENTIABLE_IN_BOTH(dot);
DIFFERENTIABLE_IN_BOTH(maximum);
DIFFERENTIABLE_IN_BOTH(minimum);
DIFFERENTIABLE_IN_BOTH(mod);
DIFFERENTIABLE_IN_BOTH(pow);
DIFFERENTIABLE_IN_BOTH(rem);
#undef DIFFERENTIABLE_IN_BOTH

static_assert(mistake_of([](kt::var<double, n> x) {
                auto y = kt::where(x > 0, x / (1 - x), -x) + kt::cast<double>(kt::cast<float>(x)) +
                         kt::grad_clip(x, -1, 1) + kt::grad_scale(x, 2);
                return twice(kt::sum(y + kt::disconnected_grad(x)), x);
              }) == kt::graph::mistake::none);
static_assert(mistake_of([](kt::var<double, n> x, kt::var<int> i) {
                auto table = kt::stack(kt::axis<0>, x, x * x);
                auto y = kt::sum(kt::take(kt::transpose(table), kt::reshape<1>(i))) +
                         kt::sum(kt::concatenate(kt::axis<0>, x[kt::rows(0, 1)], x * x)) +
                         kt::sum(kt::broadcast_to<4, n>(x) * 2) + kt::sum(kt::transfer<kt::host>(x * x));
                return twice(y, x);
              }) == kt::graph::mistake::none);

}  // namespace

TEST_CASE("derivatives are found while compiling") { CHECK(true); }
