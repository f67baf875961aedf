// Each optimiser against its formula, computed by hand, on parameters of several shapes; schedules, bounds of
// gradients, and what is kept.
#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace kt = kroton;

namespace {

struct inner : kt::model {
  using kt::model::model;
  kt::shared<double, 2, 3> W{this, "W", kt::init::normal(0, 1)};
};
/// A cost whose gradients change from step to step and from element to element.
template <class Optimiser, auto Options>
struct scene : kt::model {
  kt::shared<double> a{this, "a", kt::init::constant(0.5)};
  inner block{this, "block"};
  Optimiser optimiser{this, Options};
  constexpr auto cost(kt::var<double, 2, 3> x) const { return kt::sum(kt::sqr(kt::sin(block.W * x) + a)) * 0.25; }
  constexpr auto train(kt::var<double, 2, 3> x, kt::var<double> rate) const {
    const auto c = cost(x);
    return kt::outputs(c).updates(optimiser(c, parameters(), rate));
  }
};

/// The parameters and their gradients, in the order of the model.
struct numbers {
  std::vector<double> p, g;
};
numbers gradients(std::vector<double> p, const kt::tensor<double, 2>& x) {
  numbers n{std::move(p), std::vector<double>(7)};
  for (std::size_t i = 0; i < 6; ++i) {
    const double v = x.data()[i], s = std::sin(n.p[i + 1] * v) + n.p[0];
    n.g[0] += 0.5 * s;
    n.g[i + 1] = 0.5 * s * std::cos(n.p[i + 1] * v) * v;
  }
  return n;
}

/// Compares five steps with `rule(p, g, kept, t, rate)`, in which `kept` are two numbers of the element.
template <class Optimiser, auto Options, class Rule>
void check(double rate, Rule rule) {
  using model = scene<Optimiser, Options>;
  kt::session<model> session{kt::context::host(), kt::seed{5}};
  auto train = session.template compile<&model::train>();
  const kt::tensor<double, 2> x({2, 3}, {0.3, -0.7, 1.1, 2, -1.5, 0.9});
  std::vector<double> p{0.5};
  for (const double w : session.template values<&model::block, &inner::W>()) p.push_back(w);
  std::vector<std::array<double, 2>> kept(7);
  for (int t = 1; t <= 5; ++t) {
    const numbers now = gradients(p, x);
    for (std::size_t i = 0; i < 7; ++i) p[i] = rule(now.p[i], now.g[i], kept[i], t, rate);
    if (t == 3) {
      const kt::debug::comparison found = kt::debug::verify(train, x, rate);
      CAPTURE(found.where);
      CHECK(found.ok);
    } else {
      train(x, rate);
    }
    CAPTURE(t);
    CHECK(session.template values<&model::a>()[0] == doctest::Approx(p[0]).epsilon(1e-12));
    for (std::size_t i = 0; i < 6; ++i)
      CHECK(session.template values<&model::block, &inner::W>()[i] == doctest::Approx(p[i + 1]).epsilon(1e-12));
  }
}

using kept = std::array<double, 2>;

TEST_CASE("optimisers: gradient descent, with momentum") {
  check<kt::optim::sgd, kt::optim::sgd_options{.weight_decay = 0.1}>(
      0.2, [](double p, double g, kept&, int, double r) { return p - r * (g + 0.1 * p); });
  check<kt::optim::momentum, kt::optim::momentum_options{}>(
      0.1, [](double p, double g, kept& k, int, double r) { return p - r * (k[0] = 0.9 * k[0] + g); });
  check<kt::optim::nesterov, kt::optim::momentum_options{.momentum = 0.8, .weight_decay = 0.01}>(
      0.1, [](double p, double g, kept& k, int, double r) {
        const double d = g + 0.01 * p;
        k[0] = 0.8 * k[0] + d;
        return p - r * (d + 0.8 * k[0]);
      });
}

TEST_CASE("optimisers: a step of its own for each element") {
  check<kt::optim::adagrad, kt::optim::adagrad_options{}>(0.3, [](double p, double g, kept& k, int, double r) {
    k[0] += g * g;
    return p - r * g / (std::sqrt(k[0]) + 1e-10);
  });
  check<kt::optim::rmsprop, kt::optim::rmsprop_options{.decay = 0.9}>(0.01,
                                                                      [](double p, double g, kept& k, int, double r) {
                                                                        k[0] = 0.9 * k[0] + 0.1 * g * g;
                                                                        return p - r * g / (std::sqrt(k[0]) + 1e-8);
                                                                      });
  check<kt::optim::adadelta, kt::optim::adadelta_options{}>(1, [](double p, double g, kept& k, int, double r) {
    k[0] = 0.9 * k[0] + 0.1 * g * g;
    const double step = std::sqrt(k[1] + 1e-6) / std::sqrt(k[0] + 1e-6) * g;
    k[1] = 0.9 * k[1] + 0.1 * step * step;
    return p - r * step;
  });
}

TEST_CASE("optimisers: Adam, AdamW, Lion") {
  const auto adam = [](double g, kept& k, int t) {
    k[0] = 0.9 * k[0] + 0.1 * g;
    k[1] = 0.999 * k[1] + 0.001 * g * g;
    return k[0] / (1 - std::pow(0.9, t)) / (std::sqrt(k[1] / (1 - std::pow(0.999, t))) + 1e-8);
  };
  check<kt::optim::adam, kt::optim::adam_options{}>(
      0.01, [&](double p, double g, kept& k, int t, double r) { return p - r * adam(g, k, t); });
  check<kt::optim::adam, kt::optim::adam_options{.weight_decay = 0.1}>(
      0.01, [&](double p, double g, kept& k, int t, double r) { return p - r * adam(g + 0.1 * p, k, t); });
  check<kt::optim::adamw, kt::optim::adamw_options{.weight_decay = 0.1}>(
      0.01, [&](double p, double g, kept& k, int t, double r) { return p - r * (adam(g, k, t) + 0.1 * p); });
  check<kt::optim::lion, kt::optim::lion_options{.weight_decay = 0.2}>(
      0.01, [](double p, double g, kept& k, int, double r) {
        const double direction = 0.9 * k[0] + 0.1 * g;
        k[0] = 0.99 * k[0] + 0.01 * g;
        return p - r * ((direction > 0) - (direction < 0) + 0.2 * p);
      });
}

TEST_CASE("optimisers: bounds of gradients") {
  check<kt::optim::sgd, kt::optim::sgd_options{.clip = {.value = 0.25}}>(
      0.2, [](double p, double g, kept&, int, double r) { return p - r * std::max(-0.25, std::min(0.25, g)); });
  using model = scene<kt::optim::sgd, kt::optim::sgd_options{.clip = {.norm = 0.5}}>;
  kt::session<model> session{kt::context::host(), kt::seed{5}};
  auto train = session.compile<&model::train>();
  const kt::tensor<double, 2> x({2, 3}, {0.3, -0.7, 1.1, 2, -1.5, 0.9});
  std::vector<double> p{0.5};
  for (const double w : session.values<&model::block, &inner::W>()) p.push_back(w);
  const numbers before = gradients(p, x);
  double norm = 0;
  for (const double g : before.g) norm += g * g;
  train(x, 1.0);
  CHECK(norm > 0.25);
  CHECK(session.values<&model::a>()[0] == doctest::Approx(0.5 - before.g[0] * 0.5 / std::sqrt(norm)).epsilon(1e-12));
}

struct scheduled : kt::model {
  kt::shared<double> p{this, "p"};
  kt::optim::sgd plain{this, "plain"}, stairs{this, "stairs"}, wave{this, "wave"}, warm{this, "warm"},
      ramp{this, "ramp"}, cycle{this, "cycle"}, own{this, "own"};
  template <class Schedule>
  constexpr auto step(const kt::optim::sgd& optimiser, const Schedule& schedule) const {
    return kt::outputs().updates(optimiser(p + 0, kt::parameters(p), schedule));  // the gradient is 1
  }
  constexpr auto constant() const { return step(plain, kt::optim::constant{.rate = 0.5}); }
  constexpr auto staircase() const { return step(stairs, kt::optim::staircase{.rate = 1, .every = 3, .factor = 0.5}); }
  constexpr auto cosine() const { return step(wave, kt::optim::cosine{.rate = 1, .steps = 4, .last = 0.1}); }
  constexpr auto warm_up() const {
    return step(warm, kt::optim::warm_up(4, kt::optim::staircase{.rate = 1, .every = 2, .factor = 0.5}));
  }
  constexpr auto warm_number() const { return step(ramp, kt::optim::warm_up(5, 2)); }
  constexpr auto warm_at_once() const {
    return step(warm, kt::optim::warm_up(0, kt::optim::staircase{.rate = 1, .every = 2, .factor = 0.5}));
  }
  constexpr auto number_at_once() const { return step(ramp, kt::optim::warm_up(0, 2)); }
  constexpr auto one_cycle() const { return step(cycle, kt::optim::one_cycle{.rate = 1, .steps = 10}); }
  constexpr auto falling() const { return step(cycle, kt::optim::one_cycle{.rate = 1, .steps = 4, .rising = 0}); }
  constexpr auto lambda() const {
    return step(own, [](auto steps) { return 1 / (1 + steps); });
  }
};
template <auto Member>
void check_rates(const std::vector<double>& expected) {
  kt::session<scheduled> session{kt::context::host()};
  auto f = session.compile<Member>();
  double before = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    f();
    const double now = session.values<&scheduled::p>()[0];
    CAPTURE(i);
    CHECK(before - now == doctest::Approx(expected[i]).epsilon(1e-9));
    before = now;
  }
}

TEST_CASE("schedules: rates of the first steps") {
  const double pi = std::acos(-1.0);
  check_rates<&scheduled::constant>({0.5, 0.5, 0.5});
  check_rates<&scheduled::staircase>({1, 1, 1, 0.5, 0.5, 0.5, 0.25});
  check_rates<&scheduled::cosine>(
      {1, 0.1 + 0.45 * (1 + std::cos(pi / 4)), 0.55, 0.1 + 0.45 * (1 + std::cos(0.75 * pi)), 0.1, 0.1});
  check_rates<&scheduled::warm_up>({0.25, 0.5, 0.75, 1, 1, 1, 0.5});
  check_rates<&scheduled::warm_number>({0.4, 0.8, 1.2, 1.6, 2, 2});
  check_rates<&scheduled::warm_at_once>({1, 1, 0.5, 0.5, 0.25});
  check_rates<&scheduled::number_at_once>({2, 2});
  const auto rise = [&](double share) { return 0.04 + 0.48 * (1 - std::cos(pi * share)); };
  const auto fall = [&](double share) { return 1e-5 + (1 - 1e-5) * 0.5 * (1 + std::cos(pi * share)); };
  check_rates<&scheduled::one_cycle>({rise(0), rise(1 / 3.0), rise(2 / 3.0), fall(0), fall(1 / 7.0), fall(2 / 7.0),
                                      fall(3 / 7.0), fall(4 / 7.0), fall(5 / 7.0), fall(6 / 7.0), 1e-5, 1e-5});
  check_rates<&scheduled::falling>({1, fall(0.25), fall(0.5), fall(0.75), 1e-5, 1e-5});
  check_rates<&scheduled::lambda>({1, 0.5, 1 / 3.0});
}

struct mixed : kt::model {
  kt::shared<float, 3> w{this, "w", kt::init::ones};
  kt::shared<kt::half, 3> h{this, "h", kt::init::ones};
  kt::optim::adam of_w{this, "of_w", kt::parameters(w)}, optimiser{this};
  constexpr auto cost(kt::var<float, 3> x) const { return kt::sum(w * x * kt::cast<float>(h)); }
  constexpr auto both(kt::var<float, 3> x) const {
    return kt::updates(optimiser(kt::grad(cost(x), parameters()), parameters(), 0.5));
  }
  constexpr auto one(kt::var<float, 3> x) const { return kt::updates(of_w(cost(x), kt::parameters(w), 0.5)); }
};

TEST_CASE("optimisers: several types, lists of gradients, and what is kept") {
  kt::session<mixed> session{kt::context::host()};
  auto both = session.compile<&mixed::both>();
  auto one = session.compile<&mixed::one>();
  const kt::tensor<float, 1> x({3}, {1, -2, 0});
  both(x);
  CHECK(session.values<&mixed::w>()[0] == doctest::Approx(0.5));
  CHECK(static_cast<float>(session.values<&mixed::h>()[1]) == 1.5f);
  CHECK(static_cast<float>(session.values<&mixed::h>()[2]) == 1);
  one(x);
  CHECK(session.values<&mixed::w>()[0] == doctest::Approx(0));
  static_assert(kt::runtime::model_frame<mixed>::size.shared == 2 + 1 + 2 + 1 + 4);
}

struct in_parts : kt::model {
  kt::shared<double, 2> w{this, "w", kt::init::ones};
  kt::shared<float> v{this, "v", kt::init::ones};
  kt::optim::accumulator gradients{this};
  kt::optim::momentum optimiser{this};
  kt::optim::average averaged{this, {.decay = 0.5}};
  constexpr auto cost(kt::var<double, 2> x) const { return kt::sum(w * x) + 3 * kt::cast<double>(v); }
  constexpr auto add(kt::var<double, 2> x) const {
    const auto c = cost(x);
    return kt::outputs(c).updates(gradients.add(c, parameters()));
  }
  constexpr auto step() const {
    const auto updates = optimiser(gradients.mean(parameters()), parameters(), 1);
    return kt::updates(updates, gradients.clear(parameters()), averaged(updates));
  }
  constexpr auto predict() const { return kt::outputs(w + 0, v + 0).givens(averaged.in_place_of(parameters())); }
};

TEST_CASE("accumulators and averages") {
  kt::session<in_parts> session{kt::context::host()};
  auto add = session.compile<&in_parts::add>();
  auto step = session.compile<&in_parts::step>();
  auto predict = session.compile<&in_parts::predict>();
  const auto check_predicted = [&](double first, double second, float third) {
    const auto [w, v] = predict();
    CHECK(w(0) == doctest::Approx(first));
    CHECK(w(1) == doctest::Approx(second));
    CHECK(static_cast<float>(v) == doctest::Approx(third));
  };
  check_predicted(1, 1, 1);
  step();  // nothing was added
  check_predicted(1, 1, 1);
  add(std::vector<double>{1, 2});
  add(std::vector<double>{3, -2});
  CHECK(session.values<&in_parts::w>()[0] == 1);
  step();
  CHECK(session.values<&in_parts::w>()[0] == -1);  // less the mean, 2
  CHECK(session.values<&in_parts::w>()[1] == 1);
  CHECK(session.values<&in_parts::v>()[0] == -2);
  check_predicted((0.5 * 0.5 * 1 + 0.5 * -1) / 0.75, 1, (0.25f - 1) / 0.75f);
  add(std::vector<double>{1, 1});
  step();
  CHECK(session.values<&in_parts::w>()[0] == doctest::Approx(-1 - (0.9 * 2 + 1)));
}

}  // namespace
