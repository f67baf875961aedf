// Gradients through loops, checked with differences, of any order; and that a compiled function has the same.
#include "support.hpp"

#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

using namespace test;

namespace {

tensor some_matrix(std::int64_t rows, std::int64_t columns, unsigned seed = 1) {
  return matrix(rows, columns, some(static_cast<std::size_t>(rows * columns), seed));
}

TEST_CASE("loop gradients: sequences, initial values and what is captured") {
  constexpr auto f = [](kt::var<double, n, 2> x, kt::var<double, 2, 2> U, kt::var<double, 2> b,
                        kt::var<double, 2> begin) {
    const auto h = kt::scan([&](auto row, auto before) { return kt::tanh(row + kt::dot(before, U) + b); },
                            kt::sequences(x), kt::carried(begin));
    return kt::sum(h.all * h.all) + kt::sum(h.last) * 0.5;
  };
  for (std::int64_t count : {0, 1, 2, 5})
    check_grad(f, {some_matrix(count, 2), some_matrix(2, 2, 5), vector(some(2, 6)), vector(some(2, 7))});
}

TEST_CASE("loop gradients: several carried variables and outputs, one of integers") {
  constexpr auto f = [](kt::var<double, n> x, kt::var<double> a, kt::var<double> c) {
    const auto [p, q, count, other] = kt::scan(
        [&](auto row, auto left, auto right, auto steps) {
          return std::tuple{right * row, left + kt::exp(row * a), steps + 1, left * right + kt::cast<double>(steps)};
        },
        kt::sequences(x), kt::carried(a, c, 0));
    return p.last * q.last + kt::sum(other.all) + kt::sum(q.all * q.all) * kt::cast<double>(count.last);
  };
  for (std::size_t count : {0u, 1u, 2u, 4u}) check_grad(f, {vector(some(count)), scalar(0.3), scalar(-0.7)});
}

TEST_CASE("loop gradients: taps, and a loop that goes backwards") {
  constexpr auto f = [](kt::var<double, n> x, kt::var<double, 3> begin) {
    const auto s = kt::scan(
        [](auto before, auto after, auto old, auto newest) { return kt::sin(before * after) + 0.5 * old * newest; },
        kt::sequences(kt::taps<-1, 1>(x)), kt::carried(kt::taps<-3, -1>(begin)));
    return kt::sum(s.all * s.all) + s.last;
  };
  for (std::size_t count : {2u, 3u, 4u, 5u, 9u}) check_grad(f, {vector(some(count)), vector(some(3, 2))});
  constexpr auto back = [](kt::var<double, n> x, kt::var<double> begin) {
    const auto s = kt::scan([](auto row, auto before) { return before * row + kt::cos(row); }, kt::sequences(x),
                            kt::carried(begin), kt::scan_options{.go_backwards = true});
    return kt::sum(s.all * s.all) + s.last;
  };
  for (std::size_t count : {0u, 1u, 4u}) check_grad(back, {vector(some(count)), scalar(0.5)});
}

TEST_CASE("loop gradients: of values that are several iterations old, in a compiled function") {
  auto f = kt::function([](kt::var<double, n> x, kt::var<double, 3> begin) {
    const auto s = kt::scan([](auto row, auto old, auto newest) { return kt::sin(old * row) * newest + old; },
                            kt::sequences(x), kt::carried(kt::taps<-3, -1>(begin)));
    const auto cost = kt::sum(s.all * s.all) + s.last;
    return kt::outputs(cost, kt::grad(cost, x), kt::grad(cost, begin));
  });
  for (std::size_t count : {0u, 1u, 2u, 3u, 4u, 9u}) CHECK(kt::debug::verify(f, some(count), some(3, 2)));
}

TEST_CASE("loop gradients: one loop in another") {
  check_grad(
      [](kt::var<double, n, m> x, kt::var<double> scale) {
        const auto rows = kt::scan(
            [&](auto row, auto total) {
              const auto inner = kt::scan([&](auto each, auto sum) { return kt::sin(sum * scale) + each * total; },
                                          kt::sequences(row), kt::carried(total));
              return std::tuple{inner.last, kt::sum(inner.all * inner.all)};
            },
            kt::sequences(x), kt::carried(scale));
        return std::get<0>(rows).last + kt::sum(std::get<1>(rows).all);
      },
      {some_matrix(3, 2), scalar(0.6)});
}

TEST_CASE("loop gradients: of gradients") {
  check_grad(
      [](kt::var<double, n> x, kt::var<double> a) {
        const auto s = kt::scan([&](auto row, auto before) { return kt::tanh(before * a + row); }, kt::sequences(x),
                                kt::carried(0.1));
        const auto by_a = kt::grad(s.last * s.last, a);
        return by_a * by_a + kt::sum(kt::sqr(kt::grad(kt::sum(s.all), x)));
      },
      {vector(some(3)), scalar(0.8)});
}

TEST_CASE("loop gradients: of gradients of a loop in another") {
  // whose first derivatives are in loops that what is computed for nothing has mixed
  check_grad(
      [](kt::var<double, n, m> x, kt::var<double> a) {
        const auto s = kt::scan(
            [&](auto row, auto before) {
              const auto inner = kt::scan([&](auto each, auto sum) { return kt::sin(sum * a) + each * each; },
                                          kt::sequences(row), kt::carried(before));
              return kt::sum(inner.all);
            },
            kt::sequences(x), kt::carried(0.4));
        return kt::sqr(kt::grad(s.last, a)) + kt::sum(kt::sqr(kt::grad(s.last, x)));
      },
      {some_matrix(2, 2), scalar(0.6)});
  auto f = kt::function([](kt::var<double> a) {
    const auto last = kt::scan(
                          [&](auto before) {
                            const auto each = kt::scan([](auto b, auto c) { return kt::sin(b) * c; },
                                                       kt::sequences(kt::reshape<1>(before), kt::reshape<1>(a)));
                            return kt::cond(
                                before > 0.1, [&] { return kt::sum(each.all); }, [&] { return before * a; });
                          },
                          kt::carried(1.3), kt::steps<4>())
                          .last;
    return kt::grad(kt::grad(last, a), a);
  });
  CHECK(kt::debug::verify(f, 0.9));
  CHECK(static_cast<double>(f(0.9)) == doctest::Approx(2.55906));
}

TEST_CASE("loop gradients: of stable formulas, in bodies, branches and of costs in a body") {
  auto f = kt::function([](kt::var<double, n> x, kt::var<double> a) {
    const auto h = kt::scan([&](auto row, auto before) { return kt::log(1 + kt::exp(row * a)) + before * 0.5; },
                            kt::sequences(x), kt::carried(0.0));
    const auto y = kt::cond(
        a > 0, [&] { return kt::log(kt::sum(kt::exp(x * a))); }, [&] { return a; });
    const auto w = kt::scan([](auto row, auto b) { return b - 0.5 * kt::grad(kt::log(1 + kt::exp(row * b)), b); },
                            kt::sequences(x), kt::carried(a));
    return kt::outputs(h.last, kt::grad(h.last, a), y, kt::grad(y, x), w.last);
  });
  const auto [last, slope, y, by_x, w] = f(kt::tensor<double, 1>({3}, {1, 2, 3}), 1000.0);
  CHECK(static_cast<double>(last) == 3000 + 1000 + 250);
  CHECK(static_cast<double>(slope) == 4.25);
  CHECK(static_cast<double>(y) == 3000);
  CHECK(by_x(2) == 1000);
  CHECK(by_x(0) == 0);
  CHECK(static_cast<double>(w) == 1000 - 0.5 * 6);
  CHECK(kt::debug::verify(f, kt::tensor<double, 1>({3}, {0.1, -0.2, 0.3}), 0.7));
}

TEST_CASE("loop gradients: in the body of a loop") {
  check_grad(
      [](kt::var<double, n> x, kt::var<double> a) {  // steps of gradient descent
        const auto s = kt::scan([&](auto row, auto w) { return w - 0.1 * kt::grad(kt::sqr(w * a - row), w); },
                                kt::sequences(x), kt::carried(0.3));
        return s.last * s.last;
      },
      {vector(some(4)), scalar(0.8)});
}

TEST_CASE("loop gradients: a compiled function has the values of the reference") {
  auto f = kt::function([](kt::var<float, n, m, 4> x, kt::var<float, 4, 3> W, kt::var<float, 3, 3> U,
                           kt::var<float, 3> b, kt::var<float, m, 3> begin) {
    const auto h = kt::scan([&](auto row, auto before) { return kt::tanh(kt::dot(row, W) + kt::dot(before, U) + b); },
                            kt::sequences(x), kt::carried(begin));
    const auto cost = kt::sum(kt::sqr(h.last)) + kt::sum(h.all);
    return kt::outputs(cost, kt::grad(cost, x), kt::grad(cost, W), kt::grad(cost, U), kt::grad(cost, b),
                       kt::grad(cost, begin));
  });
  const auto fill = [](auto&& t, unsigned seed) {
    const numbers values = some(static_cast<std::size_t>(t.size()), seed);
    std::copy(values.begin(), values.end(), t.begin());
    return t;
  };
  for (std::int64_t count : {0, 1, 7})
    for (std::int64_t rows : {1, 5})
      CHECK(kt::debug::verify(f, fill(kt::tensor<float, 3>({count, rows, 4}), 1), fill(kt::tensor<float, 2>({4, 3}), 2),
                              fill(kt::tensor<float, 2>({3, 3}), 3), std::vector<float>{0.1f, 0.2f, 0.3f},
                              fill(kt::tensor<float, 2>({rows, 3}), 4)));
}

}  // namespace
