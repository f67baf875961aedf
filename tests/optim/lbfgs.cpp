// L-BFGS: Rosenbrock's function, call by call against the two loops of the textbook, and what a call says of itself.
// alone: its kernels are as many as one file should have.
#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <deque>
#include <vector>

namespace kt = kroton;

namespace {

using numbers = std::vector<double>;
double product(const numbers& x, const numbers& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}
/// x + factor y
numbers moved(numbers x, double factor, const numbers& y) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += factor * y[i];
  return x;
}

/// The optimiser as its documentation says, on numbers.
class textbook {
 public:
  numbers trial;
  double best = 0;
  textbook(const numbers& start, std::size_t history) : trial(start), history_(history) {}
  /// One call; whether the trial is accepted.
  bool call(double cost, const numbers& g) {
    const bool is_first = point_.empty(), is_finite = std::isfinite(cost) && std::isfinite(product(g, g)),
               is_less = cost <= best + 1e-4 * length_ * slope_,
               is_same = cost <= best + 10 * 2.22e-16 * std::abs(best) && product(g, direction_) <= (2e-4 - 1) * slope_;
    if (is_finite && (is_first || is_less || is_same)) {
      if (!is_first) remember(moved(trial, -1, point_), moved(g, -1, gradient_));
      point_ = trial, gradient_ = g, best = cost;
      direction_ = two_loops();
      slope_ = product(g, direction_);
      length_ = pairs_.empty() ? 1 / std::sqrt(product(g, g)) : 1;
      trial = moved(point_, length_, direction_);
      return true;
    }
    const double shorter = -0.5 * slope_ * length_ * length_ / (cost - best - length_ * slope_);
    length_ = is_finite ? std::max(std::min(shorter, 0.5 * length_), 0.1 * length_) : 0.1 * length_;
    trial = moved(point_, length_, direction_);
    return false;
  }

 private:
  struct pair {
    numbers s, y;
  };
  std::size_t history_;
  std::deque<pair> pairs_;  // the newest first
  numbers point_, gradient_, direction_;
  double slope_ = 0, length_ = 0;

  void remember(const numbers& s, const numbers& y) {
    if (!(product(s, y) > 1e-10 * product(y, y))) return;
    pairs_.push_front({s, y});
    if (pairs_.size() > history_) pairs_.pop_back();
  }
  numbers two_loops() const {
    numbers q = gradient_, alpha;
    for (const auto& [s, y] : pairs_) {
      alpha.push_back(product(s, q) / product(s, y));
      q = moved(q, -alpha.back(), y);
    }
    if (!pairs_.empty()) {
      const auto& [s, y] = pairs_.front();
      const double scale = product(s, y) / product(y, y);
      for (double& each : q) each *= scale;
    }
    for (std::size_t i = pairs_.size(); i-- > 0;) {
      const auto& [s, y] = pairs_[i];
      q = moved(q, alpha[i] - product(y, q) / product(s, y), s);
    }
    for (double& each : q) each = -each;
    return q;
  }
};

/// Rosenbrock's function of n numbers, of which the first is a parameter of its own.
template <class T, int N>
struct valley : kt::model {
  kt::shared<T> first{this, "first", kt::init::constant(-1.2)};
  kt::shared<T, N - 1> rest{this, "rest", kt::init::ones};
  kt::optim::lbfgs optimiser{this, {.history = 6}};
  constexpr auto cost() const {
    const auto x = kt::concatenate(kt::axis<0>, kt::reshape<1>(first), rest);
    const auto before = x[kt::rows<0, N - 1>()];
    return kt::sum(100 * kt::sqr(rest - kt::sqr(before)) + kt::sqr(1 - before));
  }
  constexpr auto step() const {
    const auto c = cost();
    const auto s = optimiser(c, parameters());
    return kt::outputs(c, s.cost, s.gradient_norm, s.is_accepted).updates(s);
  }
  constexpr auto finish() const { return kt::updates(optimiser.accepted(parameters())); }
};

/// -1.2, 1, -1.2, 1, ...: not the 1, 1, ... beside which there is another minimum in many dimensions.
numbers usual_start(int n) {
  numbers x;
  for (int i = 0; i < n; ++i) x.push_back(i % 2 == 0 ? -1.2 : 1);
  return x;
}
template <class T, int N>
void begin(kt::session<valley<T, N>>& session) {
  const numbers x = usual_start(N);
  session.template set<&valley<T, N>::rest>(std::vector<T>(x.begin() + 1, x.end()));
}
double rosenbrock(const numbers& x, numbers& g) {
  double cost = 0;
  g.assign(x.size(), 0);
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    const double a = x[i + 1] - x[i] * x[i], b = 1 - x[i];
    cost += 100 * a * a + b * b;
    g[i] += -400 * a * x[i] - 2 * b;
    g[i + 1] += 200 * a;
  }
  return cost;
}

TEST_CASE("lbfgs: call by call as the textbook says, with a history that is full") {
  using model = valley<double, 10>;
  kt::session<model> session{kt::context::host()};
  begin(session);
  auto step = session.compile<&model::step>();
  numbers g;
  textbook expected(usual_start(10), 6);
  int rejected = 0;
  double worst = 0;
  for (int i = 0; i < 30; ++i) {
    const double at_trial = rosenbrock(expected.trial, g);
    const bool is_accepted = expected.call(at_trial, g);
    if (i == 12) {
      const kt::debug::comparison found = kt::debug::verify(step);
      CAPTURE(found.where);
      CHECK(found.ok);
    } else {
      const auto [cost, best, norm, found] = step();
      CAPTURE(i);
      CHECK(static_cast<bool>(found) == is_accepted);
      CHECK(static_cast<double>(cost) == doctest::Approx(at_trial).epsilon(1e-6));
      CHECK(static_cast<double>(best) == doctest::Approx(expected.best).epsilon(1e-6));
      if (is_accepted) CHECK(static_cast<double>(norm) == doctest::Approx(std::sqrt(product(g, g))).epsilon(1e-6));
      rejected += !is_accepted;
    }
    worst = std::max(worst, std::abs(session.values<&model::first>()[0] - expected.trial[0]));
    for (std::size_t j = 0; j < 9; ++j)
      worst = std::max(worst, std::abs(session.values<&model::rest>()[j] - expected.trial[j + 1]));
  }
  CHECK(worst < 1e-6);
  CHECK(rejected > 0);
}

/// Calls until the accepted cost is below `wanted`; how many calls, of which `rejected` were in vain.
template <class T, int N>
int calls_until(double wanted, int& rejected) {
  using model = valley<T, N>;
  kt::session<model> session{kt::context::host()};
  begin(session);
  auto step = session.template compile<&model::step>();
  double before = std::numeric_limits<double>::infinity();
  int calls = 0;
  for (bool found = false; !found && calls < 400; ++calls) {
    const auto [cost, best, norm, is_accepted] = step();
    const auto now = static_cast<double>(static_cast<T>(best));
    CHECK(now <= before * (1 + 10 * static_cast<double>(std::numeric_limits<T>::epsilon())));
    CHECK(static_cast<bool>(is_accepted) == (static_cast<T>(cost) == static_cast<T>(best)));
    rejected += !static_cast<bool>(is_accepted);
    before = now;
    found = now < wanted;
  }
  session.template compile<&model::finish>()();
  const auto again = step();  // evaluates the cost at the accepted point
  CHECK(static_cast<double>(static_cast<T>(std::get<0>(again))) == before);
  CHECK(std::abs(session.template values<&model::first>()[0] - 1) < 100 * std::sqrt(wanted));
  return calls;
}

TEST_CASE("lbfgs: the minimum of Rosenbrock's function") {
  int rejected = 0;
  CHECK(calls_until<float, 2>(1e-10, rejected) < 60);
  CHECK(rejected > 0);
  CHECK(calls_until<double, 10>(1e-10, rejected) < 120);
}

}  // namespace
