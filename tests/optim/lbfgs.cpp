// L-BFGS: call by call against the two loops of the textbook, on costs without a value here and there or with a
// gradient that is wrong, and for parameters of several types.
// alone: its kernels are as many as one file should have.
#include "lbfgs.hpp"

#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <string_view>

namespace kt = kroton;

namespace {

inline constexpr struct n : kt::dim<n> {} n;

/// Costs of ten numbers, of which the first is a parameter of its own. One function has them all, because each function
/// of L-BFGS takes seconds to compile.
constexpr int valley = 0, bowl = 1, logistic = 2, edge = 3, misleading = 4;
struct costs : kt::model {
  kt::shared<double> first{this, "first"};
  kt::shared<double, 9> rest{this, "rest"};
  kt::optim::lbfgs optimiser{this, {.history = 4}};

  constexpr auto of_valley() const {  // Rosenbrock's function
    const auto before = kt::concatenate(kt::axis<0>, kt::reshape<1>(first), rest[kt::rows<0, 8>()]);
    return kt::sum(100 * kt::sqr(rest - kt::sqr(before)) + kt::sqr(1 - before));
  }
  constexpr auto of_bowl() const {
    return kt::sqr(first - 2) + kt::sum((kt::arange<double, 9>() + 2) * kt::sqr(rest - 2));
  }
  constexpr auto of_logistic(kt::var<double, n, 2> x, kt::var<double, n> label) const {
    const auto w = rest[kt::rows<0, 2>()];
    const auto score = (kt::dot(x, w) + first) * label;
    return kt::sum(kt::softplus(-score)) / kt::maximum(kt::extent<double>(n), 1) + 0.01 * kt::sum(kt::sqr(w));
  }
  constexpr auto step(kt::var<int> which, kt::var<double> rate, kt::var<double, n, 2> x,
                      kt::var<double, n> label) const {
    const auto of_edge = first - kt::log(first);  // no value below 0, infinity at 0, the minimum at 1
    const auto of_misleading = 2 * kt::disconnected_grad(kt::sqr(first)) - kt::sqr(first);
    const auto others =
        kt::where(which == logistic, of_logistic(x, label), kt::where(which == edge, of_edge, of_misleading));
    const auto c = kt::where(which == valley, of_valley(), kt::where(which == bowl, of_bowl(), others));
    const auto s = optimiser(c, parameters(), rate);
    return kt::outputs(c, s.cost, s.gradient_norm, s.is_accepted).updates(s);
  }
  constexpr auto finish() const { return kt::updates(optimiser.accepted(parameters())); }
};

struct found {
  double cost, best, norm;
  bool is_accepted;
};
/// A session that minimises one of the costs.
class minimised {
 public:
  minimised(int which, const numbers& start) : which_(which) { put(start); }
  kt::session<costs> session{kt::context::host()};
  kt::tensor<double, 2> rows{{0, 2}};
  numbers labels;

  found call(double rate = 1) {
    const auto [c, best, norm, is_accepted] = step_(which_, rate, rows, labels);
    return {c, best, norm, is_accepted};
  }
  kt::debug::comparison verify() { return kt::debug::verify(step_, which_, 1.0, rows, labels); }
  /// Puts the accepted point into the parameters.
  void finish() { session.compile<&costs::finish>()(); }
  numbers point() {
    numbers x{first()};
    for (const double each : session.values<&costs::rest>()) x.push_back(each);
    return x;
  }
  double first() { return session.values<&costs::first>()[0]; }
  void put(const numbers& x) {
    session.set<&costs::first>(x[0]);
    session.set<&costs::rest>(numbers(x.begin() + 1, x.end()));
  }
  /// Multiplies all numbers of what the optimiser keeps under a name.
  void spoil(std::string_view name, double factor) {
    const auto names = session.names();
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i].name != name) continue;
      const auto kept = reinterpret_cast<double*>(step_.storage()->addresses[i]);
      for (std::int64_t e = 0; e < step_.storage()->elements(i); ++e) kept[e] *= factor;
      ++spoilt;
    }
  }
  int spoilt = 0;

 private:
  int which_;
  decltype(std::declval<kt::session<costs>&>().compile<&costs::step>()) step_ = session.compile<&costs::step>();
};

/// -1.2, 1, -1.2, 1, ...: not the 1, 1, ... beside which there is another minimum in many dimensions.
const numbers usual_start{-1.2, 1, -1.2, 1, -1.2, 1, -1.2, 1, -1.2, 1};
numbers only(double first) {
  numbers x(10);
  x[0] = first;
  return x;
}

TEST_CASE("lbfgs: call by call as the textbook says, with a history that is full") {
  minimised model(valley, usual_start);
  numbers g;
  textbook expected(usual_start, 4);
  int rejected = 0;
  double worst = 0;
  for (int i = 0; i < 30; ++i) {
    const double at_trial = rosenbrock(expected.trial, g);
    const bool is_accepted = expected.call(at_trial, g);
    if (i == 12) {
      const kt::debug::comparison compared = model.verify();
      CAPTURE(compared.where);
      CHECK(compared.ok);
    } else {
      const found step = model.call();
      CAPTURE(i);
      CHECK(step.is_accepted == is_accepted);
      CHECK(step.cost == doctest::Approx(at_trial).epsilon(1e-6));
      CHECK(step.best == doctest::Approx(expected.best).epsilon(1e-6));
      if (is_accepted) CHECK(step.norm == doctest::Approx(std::sqrt(product(g, g))).epsilon(1e-6));
      rejected += !is_accepted;
    }
    const numbers x = model.point();
    for (std::size_t j = 0; j < x.size(); ++j) worst = std::max(worst, std::abs(x[j] - expected.trial[j]));
  }
  CHECK(worst < 1e-6);
  CHECK(rejected > 0);
}

TEST_CASE("lbfgs: the minimum of Rosenbrock's function") {
  minimised model(valley, usual_start);
  double before = std::numeric_limits<double>::infinity();
  int calls = 0, rejected = 0;
  for (; before > 1e-10 && calls < 400; ++calls) {
    const found step = model.call();
    CHECK(step.best <= before * (1 + 10 * std::numeric_limits<double>::epsilon()));
    CHECK(step.is_accepted == (step.cost == step.best));
    rejected += !step.is_accepted;
    before = step.best;
  }
  CHECK(calls < 120);
  CHECK(rejected > 0);
  model.finish();
  CHECK(model.call().cost == before);  // at the accepted point
  CHECK(std::abs(model.first() - 1) < 1e-3);
}

TEST_CASE("lbfgs: a quadratic function, in few calls") {
  minimised model(bowl, only(0));
  for (int i = 0; i < 24; ++i) model.call();
  for (const double each : model.point()) CHECK(each == doctest::Approx(2).epsilon(1e-4));
  for (int i = 0; i < 12; ++i) model.call();
  const found last = model.call();
  CHECK(last.best < 1e-12);
  CHECK(last.norm < 1e-6);
}

TEST_CASE("lbfgs: logistic regression against Newton's method") {
  numbers x;
  minimised model(logistic, only(0));
  for (int i = 0; i < 60; ++i) {
    x.push_back(std::sin(3.7 * i));
    x.push_back(std::cos(1.3 * i) + 0.5);
    model.labels.push_back(x[x.size() - 2] + 0.5 * x.back() + 0.6 * std::sin(7.1 * i) > 0.2 ? 1 : -1);
  }
  model.rows = kt::tensor<double, 2>({60, 2}, x);
  int calls = 0;
  while (calls < 60 && model.call().norm > 1e-9) ++calls;
  CHECK(calls < 30);
  const std::array<double, 3> expected = newton(x, model.labels);
  const numbers found = model.point();
  CHECK(found[1] == doctest::Approx(expected[0]).epsilon(1e-7));
  CHECK(found[2] == doctest::Approx(expected[1]).epsilon(1e-7));
  CHECK(found[0] == doctest::Approx(expected[2]).epsilon(1e-7));
}

TEST_CASE("lbfgs: trials without a cost are rejected, and a first point without one stays") {
  minimised model(edge, only(0));
  for (const double bad : {0.0, -1.0}) {
    model.put(only(bad));
    const found step = model.call();
    CHECK(!step.is_accepted);
    CHECK(!std::isfinite(step.best));
    CHECK(model.first() == bad);
    model.finish();
    CHECK(model.first() == bad);
  }
  model.put(only(3));
  model.call(30);
  CHECK(model.first() < 0);  // the next trial
  int rejected = 0;
  for (int i = 0; i < 30; ++i) {
    const found step = model.call();
    rejected += !step.is_accepted;
    CHECK(std::isfinite(step.best));
    if (i == 0) CHECK(std::isnan(step.cost));
  }
  CHECK(rejected > 0);
  CHECK(model.first() == doctest::Approx(1).epsilon(1e-8));
}

TEST_CASE("lbfgs: with a wrong gradient the accepted point stays") {
  minimised model(misleading, only(1));
  CHECK(model.call().cost == 1);
  double nearest = 1;
  for (int i = 0; i < 50; ++i) {
    nearest = std::min(nearest, std::abs(model.first() - 1));
    const found step = model.call();
    CHECK(!step.is_accepted);
    CHECK(step.best == 1);
    if (i == 21) CHECK(model.first() > 1.05);  // it begins anew with a whole step
  }
  CHECK(nearest < 1e-5);
  model.finish();
  CHECK(model.first() == 1);
}

TEST_CASE("lbfgs: where the direction does not descend, it begins anew along the gradient") {
  for (const bool ascends : {false, true}) {
    minimised model(valley, usual_start);
    for (int i = 0; i < 12; ++i) model.call();
    if (ascends) model.spoil("lbfgs.slopes_slopes", -1e6);
    else model.spoil("lbfgs.steps_slopes", std::numeric_limits<double>::quiet_NaN());
    CHECK(model.spoilt == 1);
    numbers at, g;
    do at = model.point();
    while (!model.call().is_accepted);
    rosenbrock(at, g);
    const numbers moved_by = moved(model.point(), -1, at);
    const double norm = std::sqrt(product(g, g));
    for (std::size_t i = 0; i < g.size(); ++i) CHECK(moved_by[i] == doctest::Approx(-g[i] / norm).epsilon(1e-9));
    double best = rosenbrock(at, g);
    for (int i = 0; i < 120; ++i) best = model.call().best;
    CHECK(best < 1e-10);
  }
}

/// Rosenbrock's function in float, of a parameter with as many axes as there may be, beside parameters of other types.
/// The history is as short as it may be.
struct mixed : kt::model {
  kt::shared<double> a{this, "a"};
  kt::shared<float, 2, 1, 1, 1, 1, 1, 2> b{this, "b", kt::init::constant(-1.2)};
  kt::shared<kt::half, 2> c{this, "c", kt::init::ones};
  kt::optim::lbfgs first{this}, second{this, "second", {.history = 1}};
  constexpr auto step() const {
    const auto x = kt::reshape<4>(b);
    const auto before = x[kt::rows<0, 3>()];
    const auto of_a = kt::cast<float>(kt::sqr(a - 2));
    const auto of_b = kt::sum(100 * kt::sqr(x[kt::rows<1, 4>()] - kt::sqr(before)) + kt::sqr(1 - before));
    const auto s = second(of_a + of_b + 9 * kt::sum(kt::sqr(kt::cast<float>(c) - 2)), parameters());
    return kt::outputs(s.cost, s.gradient_norm, s.is_accepted).updates(s);
  }
};

TEST_CASE("lbfgs: parameters of several types and extents, and a cost in float") {
  kt::session<mixed> session{kt::context::host()};
  auto step = session.compile<&mixed::step>();
  float before = std::numeric_limits<float>::infinity();
  int calls = 0, rejected = 0;
  for (; before > 1e-9F && calls < 400; ++calls) {
    const auto [best, norm, is_accepted] = step();
    CHECK(static_cast<float>(best) <= before * (1 + 10 * std::numeric_limits<float>::epsilon()));
    rejected += !static_cast<bool>(is_accepted);
    before = best;
  }
  CHECK(calls < 200);
  CHECK(rejected > 0);
  CHECK(session.values<&mixed::a>()[0] == doctest::Approx(2).epsilon(1e-3));
  for (const float each : session.values<&mixed::b>()) CHECK(each == doctest::Approx(1).epsilon(1e-2));
  for (const kt::half each : session.values<&mixed::c>()) CHECK(static_cast<float>(each) == 2);
}

}  // namespace
