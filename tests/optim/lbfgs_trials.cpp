// L-BFGS where a trial has no cost, where the first point has none, and with a gradient that is wrong.
// alone: its kernels are as many as one file should have.
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace kt = kroton;

namespace {

/// x - log(x) has no value below 0, infinity at 0, and its minimum at 1. The gradient of the other cost has the wrong
/// sign.
struct edge : kt::model {
  kt::shared<double> x{this, "x"};
  kt::optim::lbfgs optimiser{this, {.history = 3}}, misled{this, "misled", {.history = 1}};
  constexpr auto step(kt::var<double> rate) const {
    const auto c = x - kt::log(x);
    const auto s = optimiser(c, parameters(), rate);
    return kt::outputs(c, s.cost, s.is_accepted).updates(s);
  }
  constexpr auto finish() const { return kt::updates(optimiser.accepted(parameters())); }
  constexpr auto mislead() const {
    const auto s = misled(2 * kt::disconnected_grad(kt::sqr(x)) - kt::sqr(x), parameters());
    return kt::outputs(s.cost, s.is_accepted).updates(s);
  }
  constexpr auto put_back() const { return kt::updates(misled.accepted(parameters())); }
};

TEST_CASE("lbfgs: trials without a cost are rejected, and a first point without one stays") {
  kt::session<edge> session{kt::context::host()};
  auto step = session.compile<&edge::step>();
  auto finish = session.compile<&edge::finish>();
  const auto x = [&] { return session.values<&edge::x>()[0]; };
  const auto put = [&](double to) { session.set<&edge::x>(std::vector<double>{to}); };
  for (const double bad : {0.0, -1.0}) {
    put(bad);
    const auto [cost, best, is_accepted] = step(1.0);
    CHECK(!static_cast<bool>(is_accepted));
    CHECK(!std::isfinite(static_cast<double>(best)));
    CHECK(x() == bad);
    finish();
    CHECK(x() == bad);
  }
  put(3);
  step(30.0);
  CHECK(x() < 0);  // the next trial
  int rejected = 0;
  for (int i = 0; i < 30; ++i) {
    const auto [cost, best, is_accepted] = step(1.0);
    rejected += !static_cast<bool>(is_accepted);
    CHECK(std::isfinite(static_cast<double>(best)));
    if (i == 0) CHECK(std::isnan(static_cast<double>(cost)));
  }
  CHECK(rejected > 0);
  CHECK(x() == doctest::Approx(1).epsilon(1e-8));
}

TEST_CASE("lbfgs: with a wrong gradient the accepted point stays") {
  kt::session<edge> session{kt::context::host()};
  auto mislead = session.compile<&edge::mislead>();
  session.set<&edge::x>(std::vector<double>{1});
  CHECK(static_cast<double>(std::get<0>(mislead())) == 1);
  double nearest = 1;
  for (int i = 0; i < 50; ++i) {
    const double away = std::abs(session.values<&edge::x>()[0] - 1);
    nearest = std::min(nearest, away);
    const auto [best, is_accepted] = mislead();
    CHECK(!static_cast<bool>(is_accepted));
    CHECK(static_cast<double>(best) == 1);
    if (i == 21) CHECK(session.values<&edge::x>()[0] > 1.05);  // it begins anew with a whole step
  }
  CHECK(nearest < 1e-5);
  session.compile<&edge::put_back>()();
  CHECK(session.values<&edge::x>()[0] == 1);
}

}  // namespace
