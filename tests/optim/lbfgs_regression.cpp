// L-BFGS on logistic regression, against Newton's method.
// alone: its kernels are as many as one file should have.
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

namespace kt = kroton;

namespace {

inline constexpr struct n : kt::dim<n> {} n;

struct logistic : kt::model {
  kt::shared<double, 2> w{this, "w"};
  kt::shared<double> b{this, "b"};
  kt::optim::lbfgs optimiser{this, {.history = 4}};
  constexpr auto step(kt::var<double, n, 2> x, kt::var<double, n> label) const {
    const auto score = (kt::dot(x, w) + b) * label;
    const auto s = optimiser(kt::mean(kt::softplus(-score)) + 0.01 * kt::sum(kt::sqr(w)), parameters());
    return kt::outputs(s.cost, s.gradient_norm).updates(s);
  }
};
/// The same minimum by Newton's method; w and b.
std::array<double, 3> newton(const std::vector<double>& x, const std::vector<double>& label) {
  std::array<double, 3> p{};
  const auto count = static_cast<double>(label.size());
  for (int round = 0; round < 30; ++round) {
    double a[3][4] = {};  // the Hessian, and minus the gradient
    for (std::size_t i = 0; i < label.size(); ++i) {
      const double row[] = {x[2 * i], x[2 * i + 1], 1};
      const double score = (row[0] * p[0] + row[1] * p[1] + p[2]) * label[i], wrong = 1 / (1 + std::exp(score));
      for (int j = 0; j < 3; ++j) {
        for (int k = 0; k < 3; ++k) a[j][k] += wrong * (1 - wrong) * row[j] * row[k] / count;
        a[j][3] += wrong * label[i] * row[j] / count;
      }
    }
    for (std::size_t j = 0; j < 2; ++j) a[j][j] += 0.02, a[j][3] -= 0.02 * p[j];
    for (int j = 0; j < 3; ++j)  // Gauss and Jordan; the matrix is positive definite
      for (int i = 0; i < 3; ++i) {
        const double factor = a[i][j] / a[j][j];
        for (int k = 0; k < 4 && i != j; ++k) a[i][k] -= factor * a[j][k];
      }
    for (std::size_t j = 0; j < 3; ++j) p[j] += a[j][3] / a[j][j];
  }
  return p;
}

TEST_CASE("lbfgs: logistic regression against Newton's method") {
  std::vector<double> x, label;
  for (int i = 0; i < 60; ++i) {
    x.push_back(std::sin(3.7 * i));
    x.push_back(std::cos(1.3 * i) + 0.5);
    label.push_back(x[x.size() - 2] + 0.5 * x.back() + 0.6 * std::sin(7.1 * i) > 0.2 ? 1 : -1);
  }
  kt::session<logistic> session{kt::context::host()};
  auto step = session.compile<&logistic::step>();
  const kt::tensor<double, 2> rows({60, 2}, x);
  int calls = 0;
  while (calls < 60 && static_cast<double>(std::get<1>(step(rows, label))) > 1e-9) ++calls;
  CHECK(calls < 30);
  const std::array<double, 3> expected = newton(x, label);
  CHECK(session.values<&logistic::w>()[0] == doctest::Approx(expected[0]).epsilon(1e-7));
  CHECK(session.values<&logistic::w>()[1] == doctest::Approx(expected[1]).epsilon(1e-7));
  CHECK(session.values<&logistic::b>()[0] == doctest::Approx(expected[2]).epsilon(1e-7));
}

}  // namespace
