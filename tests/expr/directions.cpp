// Derivatives in forward mode, against reverse mode, which they transpose, and against formulas.
#include "support.hpp"

#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include <cmath>
#include <vector>

using namespace test;

namespace {

/// The derivatives of functions of a vector in a direction are what reverse mode says, which `verify` compares with
/// differences.
template <class Functions>
void check_directions(Functions) {
  auto f = kt::function([](kt::var<double, n> x, kt::var<double, n> v, kt::var<double> a) {
    constexpr Functions functions;
    const auto both = [&](const auto& y) {
      const auto g = kt::cos(kt::full_like(y, 3.0) * a);
      return std::tuple{kt::sum(kt::jvp(y, x, v) * g), kt::sum(kt::vjp(y, g, x) * v)};
    };
    const auto pairs = std::apply([&](const auto&... y) { return std::tuple_cat(both(y)...); }, functions(x));
    return std::apply([](const auto&... each) { return kt::outputs(each...); }, pairs);
  });
  const numbers x = some(5, 3), v = some(5, 9);
  const auto found = f(x, v, 0.7);
  const auto agree = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return (
        are_near(static_cast<double>(std::get<2 * I>(found)), static_cast<double>(std::get<2 * I + 1>(found)), 1e-12) &&
        ...);
  };
  CHECK(agree(std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<decltype(found)>> / 2>()));
  CHECK(kt::debug::verify(f, x, v, 0.7));
}

TEST_CASE("forward mode: elementwise operations") {
  check_directions([](auto x) {
    return std::tuple{kt::tanh(x) * kt::exp(x) + x / (2.0 + x),
                      kt::where(x > 0.0, kt::sqrt(kt::where(x > 0.0, x, 1.0)), x * x),
                      kt::maximum(x, 0.1) - kt::minimum(x * 2.0, kt::pow(kt::abs(x) + 0.5, x)),
                      kt::atan2(x, x + 2.0) * kt::nn::gelu(x) + kt::log(kt::nn::softmax(x)), kt::floor(x * 3.0)};
  });
}
TEST_CASE("forward mode: views, reductions, products, lookups and routines") {
  check_directions([](auto x) {
    return std::tuple{kt::flip(x) * kt::cumsum(x) + kt::roll(x, 2),
                      kt::max(x) * kt::prod(x) + kt::min(kt::outer(x, x), kt::axis<0>),
                      kt::dot(kt::outer(x, kt::sin(x)), x) + kt::sort(x),
                      kt::concatenate(kt::axis<0>, x * x, x, kt::exp(x)), kt::logsumexp(x) + kt::variance(x)};
  });
}
TEST_CASE("forward mode: loops, whose tangents are carried beside the values") {
  check_directions([](auto x) {
    const auto begin = kt::assume_shape<5>(x)[kt::rows<0, 3>()];
    return std::tuple{
        kt::scan([](auto row, auto h) { return kt::tanh(row + 0.5 * h); }, kt::sequences(x), kt::carried(kt::sum(x)))
            .all,
        kt::scan([&](auto old, auto newest) { return kt::sin(old * newest) + kt::sum(x) * 0.1; }, kt::steps<4>(),
                 kt::carried(kt::taps<-3, -1>(begin)))
            .last,
        kt::foldr([](auto row, auto other, auto h) { return h * row + kt::cos(other); }, kt::sequences(x, x),
                  kt::carried(1.0)) *
            x};
  });
}

TEST_CASE("forward mode: twice through a loop behind another") {
  auto f = kt::function([](kt::var<double> a, kt::var<double> b) {
    const auto first = kt::scan([&](auto h) { return h * a + b; }, kt::steps<2>(), kt::carried(a)).last;
    const auto y = kt::scan([](auto row, auto h) { return kt::sin(h * 0.9 + row); },
                            kt::sequences(kt::broadcast_to<3>(first)), kt::carried(first))
                       .last;
    return kt::outputs(kt::jvp(kt::jvp(y, b, b), a, a), kt::grad(kt::grad(y, b) * b, a) * a);
  });
  const auto [forward, reverse] = f(0.8, 0.4);
  CHECK(static_cast<double>(forward) == doctest::Approx(static_cast<double>(reverse)));
  CHECK(kt::debug::verify(f, 0.8, 0.4));
}

TEST_CASE("derivatives: of several variables, and of higher order") {
  auto f = kt::function([](kt::var<double, n> x, kt::var<double> a, kt::var<double, n> v, kt::var<double> b) {
    const auto y = kt::exp(a * x) * x;
    return kt::outputs(kt::jvp(y, std::tuple{x, a}, std::tuple{v, b}), kt::jvp(kt::jvp(y, x, v), x, v),
                       kt::grad(kt::sum(kt::jvp(y, a, b)), b), kt::jvp(kt::grad(kt::sum(y), a), a, b));
  });
  const numbers x = some(4, 2), v = some(4, 5);
  const double a = 0.7, b = -0.3;
  const auto [first, second, third, fourth] = f(x, a, v, b);
  double of_b = 0, of_a = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const double e = std::exp(a * x[i]), xi = x[i], vi = v[i];
    CHECK(are_near(first.data()[i], e * ((1 + a * xi) * vi + xi * xi * b), 1e-12));
    CHECK(are_near(second.data()[i], e * (2 * a + a * a * xi) * vi * vi, 1e-12));
    of_b += e * xi * xi;
    of_a += e * xi * xi * xi * b;
  }
  CHECK(are_near(static_cast<double>(third), of_b, 1e-12));
  CHECK(are_near(static_cast<double>(fourth), of_a, 1e-12));
  CHECK(kt::debug::verify(f, x, a, v, b));
}

}  // namespace
