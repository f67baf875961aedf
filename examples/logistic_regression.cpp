// Logistic regression as in Theano's tutorial: 400 random examples of 784 features, fitted by gradient descent.
#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

namespace kt = kroton;

struct regression : kt::model {
  static constexpr int examples = 400, features = 784;
  kt::shared<double, features> w{this, "w", kt::init::normal(0, 1)};
  kt::shared<double> b{this, "b"};

  constexpr auto probability(kt::var<double, examples, features> x) const {
    return 1 / (1 + kt::exp(-kt::dot(x, w) - b));
  }
  constexpr auto cost(kt::var<double, examples, features> x, kt::var<double, examples> y) const {
    auto p_1 = probability(x);
    auto xent = -y * kt::log(p_1) - (1 - y) * kt::log(1 - p_1);
    return kt::mean(xent) + 0.01 * kt::sum(w * w);
  }
  constexpr auto train(kt::var<double, examples, features> x, kt::var<double, examples> y) const {
    auto c = cost(x, y);
    return kt::outputs(c).updates(kt::update(w, w - 0.1 * kt::grad(c, w)), kt::update(b, b - 0.1 * kt::grad(c, b)));
  }
  constexpr auto predict(kt::var<double, examples, features> x) const { return probability(x) > 0.5; }
};

int main() {
  constexpr int examples = regression::examples, features = regression::features, steps = 2000;
  std::mt19937 random{42};
  std::normal_distribution<double> normal;
  kt::tensor<double, 2> x({examples, features});
  kt::tensor<double, 1> y({examples});
  for (double& value : x) value = normal(random);
  for (double& value : y) value = static_cast<double>(random() % 2);

  kt::session<regression> session{kt::context::best(), kt::seed{42}};
  auto train = session.compile<&regression::train>();
  auto predict = session.compile<&regression::predict>();
  const double first = train(x, y);
  double last = first;
  for (int step = 1; step < steps; ++step) last = train(x, y);

  int agree = 0;
  const auto prediction = predict(x);
  std::printf("target:     ");
  for (int i = 0; i < 40; ++i) std::printf("%d", y(i) > 0.5);
  std::printf("...\nprediction: ");
  for (int i = 0; i < 40; ++i) std::printf("%d", prediction(i));
  for (int i = 0; i < examples; ++i) agree += prediction(i) == (y(i) > 0.5);
  std::printf("...\n%d of %d agree; cost %.4f at first, %.4f after %d steps\n", agree, examples, first, last, steps);

  // One step more, compared with the reference interpreter. It takes log(1 - p_1) as it is written, which is infinite
  // where the random start is all too sure; after training both agree.
  if (const auto found = kt::debug::verify(train, x, y); !found) {
    std::printf("training: %s is %.9g, the reference interpreter says %.9g\n", found.where.c_str(), found.found,
                found.expected);
    return 1;
  }
  // With more features than examples, the targets can be fitted exactly, however random they are.
  const bool right = agree == examples && std::isfinite(last) && last < 0.15;
  return right ? 0 : 1;
}
