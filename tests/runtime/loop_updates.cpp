// Shared variables that the body of a loop updates: many steps of training in one call.
#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace kt = kroton;

namespace {

inline constexpr struct n : kt::dim<n> {} n;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct counters : kt::model {
  kt::shared<double, 3> total{this, "total"};
  kt::shared<double> scale{this, "scale", kt::init::ones};
  /// The body sees both as they are in an iteration, what was computed of them before the loop included.
  constexpr auto add(kt::var<double, n, 3> x) const {
    const auto doubled = total * 2;
    const auto [seen, changes] = kt::scan(
        [&](auto row) {
          return std::tuple{doubled, kt::update(total, total + row * scale) + kt::update(scale, scale * 0.5)};
        },
        kt::sequences(x));
    return kt::outputs(seen.all, doubled).updates(changes);
  }
  constexpr auto add_alone(kt::var<double, n, 3> x) const {
    return kt::updates(kt::scan([&](auto row) { return kt::update(total, total + row); }, kt::sequences(x)));
  }
  constexpr auto until(kt::var<double, n, 3> x, kt::var<double> most) const {
    const auto [last, changes, count] = kt::scan(
        [&](auto row, auto before) {
          const auto next = total + row;
          return std::tuple{before + kt::sum(next), kt::update(total, next), kt::until(next[0] > most)};
        },
        kt::sequences(x), kt::carried(0.0));
    return kt::outputs(last.last, count).updates(changes);
  }
};

TEST_CASE("loop updates: the body sees and changes shared variables") {
  kt::session<counters> session;
  auto add = session.compile<&counters::add>();
  const auto [seen, before] = add(kt::tensor<double, 2>({3, 3}, {1, 2, 3, 10, 20, 30, 100, 200, 300}));
  const auto total = session.get<&counters::total>();
  CHECK(total(0) == 1 + 10 * 0.5 + 100 * 0.25);
  CHECK(total(2) == 3 + 30 * 0.5 + 300 * 0.25);
  CHECK(static_cast<double>(session.get<&counters::scale>()) == 0.125);
  CHECK(seen(0, 0) == 0);
  CHECK(seen(1, 1) == 4);
  CHECK(seen(2, 2) == 36);
  CHECK(before(0) == 0);
  static_cast<void>(add(kt::tensor<double, 2>({0, 3})));
  CHECK(session.get<&counters::total>()(0) == total(0));

  session.set<&counters::total>(std::vector<double>{0, 0, 0});
  auto until = session.compile<&counters::until>();
  const auto [sum, count] = until(kt::tensor<double, 2>({4, 3}, {1, 1, 1, 2, 2, 2, 4, 4, 4, 8, 8, 8}), 2.5);
  CHECK(static_cast<std::int64_t>(count) == 2);
  CHECK(static_cast<double>(sum) == 3 + 9);
  CHECK(session.get<&counters::total>()(1) == 3);
  auto alone = session.compile<&counters::add_alone>();
  alone(kt::tensor<double, 2>({2, 3}, {1, 1, 1, 2, 2, 2}));
  CHECK(session.get<&counters::total>()(1) == 6);
}

struct regression : kt::model {
  kt::shared<double, 2> w{this, "w"};
  kt::shared<double> b{this, "b"};
  kt::optim::adam optimiser{this};
  template <class Rule>
  constexpr auto step(const auto& x, const auto& y, const Rule& rule) const {
    const auto cost = kt::mean(kt::sqr(kt::dot(x, w) + b - y));
    return std::pair{cost, rule(cost)};
  }
  constexpr auto by_sgd(kt::var<double, batch, 2> x, kt::var<double, batch> y) const {
    const auto cost = kt::mean(kt::sqr(kt::dot(x, w) + b - y));
    return kt::outputs(cost).updates(kt::optim::sgd(cost, parameters(), 0.1));
  }
  constexpr auto many_by_sgd(kt::var<double, n, batch, 2> x, kt::var<double, n, batch> y) const {
    const auto [costs, changes] = kt::scan(
        [&](auto each_x, auto each_y) {
          const auto [cost, change] =
              step(each_x, each_y, [&](auto c) { return kt::updates(kt::optim::sgd(c, parameters(), 0.1)); });
          return std::tuple{cost, change};
        },
        kt::sequences(x, y));
    return kt::outputs(costs.all).updates(changes);
  }
  constexpr auto by_adam(kt::var<double, batch, 2> x, kt::var<double, batch> y) const {
    const auto [cost, changes] = step(x, y, [&](auto c) { return optimiser(c, parameters(), 0.05); });
    return kt::outputs(cost).updates(changes);
  }
  constexpr auto many_by_adam(kt::var<double, n, batch, 2> x, kt::var<double, n, batch> y) const {
    const auto [costs, changes] = kt::scan(
        [&](auto each_x, auto each_y) {
          const auto [cost, change] = step(each_x, each_y, [&](auto c) { return optimiser(c, parameters(), 0.05); });
          return std::tuple{cost, change};
        },
        kt::sequences(x, y));
    return kt::outputs(costs.all).updates(changes);
  }
};

template <auto One, auto Many>
void compare() {
  constexpr std::int64_t steps = 25, rows = 6;
  kt::tensor<double, 3> x({steps, rows, 2});
  kt::tensor<double, 2> y({steps, rows});
  for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = std::sin(static_cast<double>(i) * 1.7);
  for (std::int64_t i = 0; i < y.size(); ++i) y.data()[i] = 3 * x.data()[2 * i] - x.data()[2 * i + 1] + 0.5;
  kt::session<regression> one, many;
  auto step = one.compile<One>();
  auto all = many.compile<Many>();
  const auto costs = all(x, y);
  for (std::int64_t t = 0; t < steps; ++t) {
    const double* from = x.data() + t * rows * 2;
    const double* label = y.data() + t * rows;
    const double cost = step(kt::tensor<double, 2>({rows, 2}, std::vector<double>(from, from + rows * 2)),
                             std::vector<double>(label, label + rows));
    CHECK(costs(t) == doctest::Approx(cost).epsilon(1e-12));
  }
  for (std::int64_t i = 0; i < 2; ++i)
    CHECK(many.get<&regression::w>()(i) == doctest::Approx(one.get<&regression::w>()(i)).epsilon(1e-12));
  CHECK(static_cast<double>(many.get<&regression::b>()) ==
        doctest::Approx(static_cast<double>(one.get<&regression::b>())).epsilon(1e-12));
  CHECK(costs(steps - 1) < costs(0));
}

TEST_CASE("loop updates: steps of optimisers in one call are those of several calls") {
  compare<&regression::by_sgd, &regression::many_by_sgd>();
  compare<&regression::by_adam, &regression::many_by_adam>();
}

}  // namespace
