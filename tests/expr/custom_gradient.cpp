// Gradients that somebody wrote.
#include "support.hpp"

#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include <cmath>

using namespace test;

namespace {

TEST_CASE("custom_gradient: what is written arrives, in reverse mode, in forward mode, and lifted") {
  auto f = kt::function([](kt::var<double, n> x, kt::var<double> a, kt::var<double, n> v) {
    const auto own = kt::custom_gradient([](auto y, auto b) { return kt::exp(y) * b; },
                                         [](auto g, auto y, auto b) {
                                           return std::tuple{g * y * 3.0, kt::sum(g) * b};
                                         });
    const auto y = own(x * 2.0, a);
    const auto cost = kt::sum(y * y);
    const auto each = kt::vmap<n>([&](auto scalar) { return kt::grad(kt::sqr(own(scalar, a)), scalar); })(x);
    const auto lifted = kt::sum(kt::vmap<n>([&](auto scalar) { return own(scalar, a); })(x) * v);
    return kt::outputs(y, kt::grad(cost, x), kt::grad(cost, a), kt::jvp(y, x, v), each, kt::grad(lifted, x),
                       kt::grad(kt::sum(kt::grad(kt::sum(y), x) * v), x));
  });
  const numbers x = some(5, 3), v = some(5, 4);
  const double a = 0.6;
  const auto [y, of_x, of_a, forward, each, lifted, second] = f(x, a, v);
  double sum = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    const double value = std::exp(2 * x[i]) * a, g = 2 * value;
    CHECK(are_near(y.data()[i], value, 1e-12));
    CHECK(are_near(of_x.data()[i], g * 2 * x[i] * 3 * 2, 1e-12));
    CHECK(are_near(forward.data()[i], 2 * x[i] * 3 * 2 * v[i], 1e-12));
    CHECK(are_near(each.data()[i], 2 * std::exp(x[i]) * a * x[i] * 3, 1e-12));
    CHECK(are_near(lifted.data()[i], v[i] * x[i] * 3, 1e-12));
    CHECK(are_near(second.data()[i], 12 * v[i], 1e-12));
    sum += g;
  }
  CHECK(are_near(static_cast<double>(of_a), sum * a, 1e-12));
  CHECK(kt::debug::verify(f, x, a, v));
}

TEST_CASE("custom_gradient: in the body of a loop, with a loop in it, twice") {
  auto f = kt::function([](kt::var<double, n> x, kt::var<double> a) {
    const auto halved =
        kt::custom_gradient([](auto h) { return h * h; },
                            [](auto g, auto h) {
                              return kt::reduce([&](auto row, auto value) { return value + row; },
                                                kt::sequences(kt::full<double, 1>(0)), kt::carried(g * h));
                            });
    const auto h =
        kt::reduce([&](auto row, auto before) { return halved(before) + row; }, kt::sequences(x), kt::carried(a));
    return kt::outputs(h, kt::grad(h, a), kt::grad(halved(a) + halved(a * 2.0), a));
  });
  const numbers x{0.5, -0.25};
  const auto [h, of_a, twice] = f(x, 0.5);
  const double first = 0.25 + 0.5;
  CHECK(are_near(static_cast<double>(h), first * first - 0.25, 1e-12));
  CHECK(are_near(static_cast<double>(of_a), first * 0.5, 1e-12));
  CHECK(are_near(static_cast<double>(twice), 0.5 + 1.0 * 2, 1e-12));
  CHECK(kt::debug::verify(f, x, 0.5));
}

TEST_CASE("custom_gradient: in a loop that runs a second time for its gradients") {
  auto f = kt::function([](kt::var<double, n> x, kt::var<double> a) {
    const auto halved = kt::custom_gradient([](auto h) { return h * h; }, [](auto g, auto h) { return g * h; });
    const auto step = [&](auto row, auto before) { return halved(before) + row; };
    const auto of_parts =
        kt::grad(kt::scan(step, kt::sequences(x), kt::carried(a), kt::scan_options{.keep_every = 2}).last, a);
    const auto of_again =
        kt::grad(kt::remat([&](auto begin) {
                   return kt::reduce([&](auto row, auto before) { return kt::remat(halved)(before) + row; },
                                     kt::sequences(x), kt::carried(begin));
                 })(a),
                 a);
    return kt::outputs(of_parts, kt::grad(of_parts, a), of_again);
  });
  const numbers x{0.5, -0.25};
  const auto [of_parts, second, of_again] = f(x, 0.5);
  CHECK(are_near(static_cast<double>(of_parts), (0.25 + 0.5) * 0.5, 1e-12));
  CHECK(are_near(static_cast<double>(of_again), (0.25 + 0.5) * 0.5, 1e-12));
  CHECK(are_near(static_cast<double>(second), (0.25 + 0.5) + 0.25, 1e-12));
  CHECK(kt::debug::verify(f, x, 0.5));
}

}  // namespace
