// What L-BFGS is tested against: the two loops of the textbook on numbers, Newton's method, and Rosenbrock's function.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <vector>

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

}  // namespace
