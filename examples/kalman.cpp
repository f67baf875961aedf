// Follows something that moves along a line and is seen with errors: the filter of Kalman is one loop, the smoother of
// Rauch, Tung and Striebel a loop that goes back, and the likelihood of what was seen has a gradient and a Hessian, by
// which Newton's method finds how unsteady the motion and how large the errors are. All of it is compared with the same
// normal distribution written as one matrix.
#include <kroton/kroton.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "program.hpp"
#include "svg_chart.hpp"

namespace kt = kroton;

inline constexpr struct times : kt::dim<times> {} times;

constexpr double begin_variance = 4;

/// What a filter finds: means and covariances of place and speed, seen and as they were expected, and the likelihood.
template <class Mean, class Covariance, class Number>
struct filtered {
  Mean mean, expected_mean;                    // (times, 2)
  Covariance covariance, expected_covariance;  // (times, 2, 2)
  Number log_likelihood;
};

/// `logs`: the logarithms of the variance of the motion and of the errors. `F`: how a state goes on.
constexpr auto filter(kt::var<double, times> seen, kt::var<double, 2> logs, kt::var<double, 2, 2> F) {
  const auto motion = kt::exp(logs[0]), error = kt::exp(logs[1]);
  // a push moves the speed by itself, and the place by half of it, more or less: (1/3, 1/2; 1/2, 1)
  const auto Q = motion * kt::set((F + kt::transpose(F)) * 0.5, kt::at(0, 0), 1.0 / 3.0);
  const auto [m, P, expected, spread, part] = kt::scan(
      [&](auto y, auto mean, auto covariance) {
        const auto before = kt::dot(F, mean);
        const auto around = kt::dot(kt::dot(F, covariance), kt::transpose(F)) + Q;
        const auto surprise = y - before[0], variance = around[kt::at(0, 0)] + error;
        const auto gain = around[0] / variance;
        return std::tuple{before + gain * surprise, around - kt::outer(gain, around[0]), before, around,
                          kt::log(2 * std::numbers::pi * variance) + kt::sqr(surprise) / variance};
      },
      kt::sequences(seen), kt::carried(kt::zeros<double, 2>(), begin_variance * kt::eye<double, 2>()));
  const auto likelihood = -0.5 * kt::sum(part.all);
  return filtered<decltype(m.all), decltype(P.all), decltype(likelihood)>{m.all, expected.all, P.all, spread.all,
                                                                          likelihood};
}
/// The mean of the state at each time, all that was seen considered, (times - 1, 2): of the last, the filter's.
constexpr auto smoothed(kt::var<double, times> seen, kt::var<double, 2> logs, kt::var<double, 2, 2> F) {
  const auto f = filter(seen, logs, F);
  const auto back = kt::scan(
      [&](auto mean, auto covariance, auto expected, auto around, auto next) {
        const auto determinant = around[kt::at(0, 0)] * around[kt::at(1, 1)] - kt::sqr(around[kt::at(0, 1)]);
        const auto inverse = (kt::trace(around) * kt::eye<double, 2>() - around) / determinant;
        return mean + kt::dot(covariance, kt::dot(kt::transpose(F), kt::dot(inverse, next - expected)));
      },
      kt::sequences(f.mean[kt::rows(0, -1)], f.covariance[kt::rows(0, -1)], f.expected_mean[kt::rows(1, kt::end)],
                    f.expected_covariance[kt::rows(1, kt::end)]),
      kt::carried(f.mean[-1]), kt::scan_options{.go_backwards = true});
  return kt::flip(back.all, kt::axis<0>);
}

using numbers = std::vector<double>;

/// The joint normal distribution of all places and of what is seen.
struct joint {
  std::vector<numbers> places, factor;  // covariances of the places, and the Cholesky factor of those of what is seen
  joint(std::size_t count, double motion, double error) : places(count, numbers(count)), factor(places) {
    double a = begin_variance, b = 0, c = begin_variance;  // of place and place, place and speed, speed and speed
    for (std::size_t j = 0; j < count; ++j) {
      a += 2 * b + c + motion / 3;
      b += c + motion / 2;
      c += motion;
      for (std::size_t i = j; i < count; ++i) places[i][j] = places[j][i] = a + static_cast<double>(i - j) * b;
    }
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = places[i][j] + (i == j ? error : 0);
        for (std::size_t k = 0; k < j; ++k) sum -= factor[i][k] * factor[j][k];
        factor[i][j] = i == j ? std::sqrt(sum) : sum / factor[j][j];
      }
  }
  /// The solution of (covariance of what is seen) x = y; `log_density` gets the logarithm of the density of y.
  numbers solved(const numbers& y, double& log_density) const {
    numbers x = y;
    log_density = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) x[i] -= factor[i][k] * x[k];
      x[i] /= factor[i][i];
      log_density -= 0.5 * (x[i] * x[i] + std::log(2 * std::numbers::pi)) + std::log(factor[i][i]);
    }
    for (std::size_t i = y.size(); i-- > 0;) {
      for (std::size_t k = i + 1; k < y.size(); ++k) x[i] -= factor[k][i] * x[k];
      x[i] /= factor[i][i];
    }
    return x;
  }
};

int run() {
  auto likelihood = kt::function([](kt::var<double, times> seen, kt::var<double, 2> logs, kt::var<double, 2, 2> F) {
    const auto value = filter(seen, logs, F).log_likelihood;
    return kt::outputs(value, kt::grad(value, logs), kt::hessian(value, logs));
  });
  auto follow = kt::function([](kt::var<double, times> seen, kt::var<double, 2> logs, kt::var<double, 2, 2> F) {
    return kt::outputs(filter(seen, logs, F).mean, smoothed(seen, logs, F));
  });
  const kt::tensor<double, 2> F({2, 2}, {1, 1, 0, 1});

  const std::size_t count = 120;
  std::mt19937 bits(7);
  std::normal_distribution<double> normal;
  numbers seen;
  example::line lines[] = {
      {"seen", "#cbd2d9", {}}, {"real", "#1f2933", {}}, {"filter", "#c2410c", {}}, {"smoother", "#0f766e", {}}};
  double place = 0, speed = 0.5;
  for (std::size_t t = 0; t < count; ++t) {
    const double push = std::sqrt(0.05) * normal(bits);
    place += speed + push / 2;
    speed += push;
    seen.push_back(place + 1.5 * normal(bits));
    lines[0].points.push_back({static_cast<double>(t), seen.back()});
    lines[1].points.push_back({static_cast<double>(t), place});
  }

  kt::tensor<double, 1> logs({2}, {-2, 0});
  double worst = 0;
  {
    const auto [value, slopes, curvatures] = likelihood(seen, logs, F);
    double exact = 0;
    joint(count, std::exp(logs(0)), std::exp(logs(1))).solved(seen, exact);
    worst = std::abs(static_cast<double>(value) - exact) / std::abs(exact);
    for (std::int64_t i = 0; i < 2; ++i) {
      const double h = 1e-5;
      kt::tensor<double, 1> above = logs, below = logs;
      above(i) += h;
      below(i) -= h;
      const double difference = (static_cast<double>(std::get<0>(likelihood(seen, above, F))) -
                                 static_cast<double>(std::get<0>(likelihood(seen, below, F)))) /
                                (2 * h);
      worst = std::max(worst, std::abs(slopes(i) - difference) / (1 + std::abs(difference)));
    }
  }
  double slope = 1;
  int iterations = 0;
  for (; iterations < 30 && slope > 1e-10; ++iterations) {
    const auto [value, g, H] = likelihood(seen, logs, F);
    slope = std::abs(g(0)) + std::abs(g(1));
    const double determinant = H(0, 0) * H(1, 1) - H(0, 1) * H(1, 0);
    const bool is_concave = H(0, 0) < 0 && determinant > 0;  // else a step along the gradient
    const double by[] = {is_concave ? -(H(1, 1) * g(0) - H(0, 1) * g(1)) / determinant : 0.1 * g(0),
                         is_concave ? -(H(0, 0) * g(1) - H(1, 0) * g(0)) / determinant : 0.1 * g(1)};
    for (std::int64_t i = 0; i < 2; ++i) logs(i) += std::clamp(by[i], -1.0, 1.0);
  }

  const auto [means, smooth] = follow(seen, logs, F);
  const joint known(count, std::exp(logs(0)), std::exp(logs(1)));
  double density = 0, errors[3] = {};
  const numbers weights = known.solved(seen, density);
  for (std::size_t t = 0; t < count; ++t) {
    const double real = lines[1].points[t].y;
    const auto row = static_cast<std::int64_t>(t);
    const double mean = means(row, 0), best = t + 1 < count ? smooth(row, 0) : mean;
    double exact = 0;
    for (std::size_t k = 0; k < count; ++k) exact += known.places[t][k] * weights[k];
    worst = std::max(worst, std::abs(best - exact) / (1 + std::abs(exact)));
    lines[2].points.push_back({static_cast<double>(t), mean});
    lines[3].points.push_back({static_cast<double>(t), best});
    const double found[] = {seen[t], mean, best};
    for (int k = 0; k < 3; ++k) errors[k] += (found[k] - real) * (found[k] - real) / count;
  }
  example::svg page(1180, 480, "What moves along a line, as it is seen, filtered and smoothed");
  example::add_chart(page, {76, 110, 900, 300, "place", "time"}, lines);
  example::add_legend(page, 1010, 130, lines);
  page.save("kalman.svg");
  std::printf("likelihood, its gradient and the smoothed places: at most %.1e from those of one matrix\n", worst);
  std::printf("the most likely variances, after %d steps: motion %.4f, errors %.4f\n", iterations, std::exp(logs(0)),
              std::exp(logs(1)));
  std::printf("mean square error: seen %.3f, filter %.3f, smoother %.3f\n", errors[0], errors[1], errors[2]);
  std::printf("picture: %s\n", std::filesystem::absolute("kalman.svg").c_str());
  const bool good = worst < 1e-6 && slope < 1e-8 && errors[2] < errors[1] && errors[1] < errors[0];
  if (!good) std::printf("a number is not what it should be\n");
  return good ? 0 : 1;
}

int main() { return example::status_of("kalman", run); }
