// Finds the normal distributions of which points on a plane are a mixture, by expectation and maximisation in one loop.
// The likelihood must not fall in any iteration, and its gradient must be zero where the loop ends: it is found by
// differentiating, which the algorithm does not.
#include <kroton/kroton.hpp>

#include <algorithm>
#include <array>
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

inline constexpr struct points : kt::dim<points> {} points;

constexpr int parts = 3, rounds = 300;

/// The logarithms of the densities of the parts at each point, times their weights, (points, parts).
constexpr auto log_densities(kt::var<double, points, 2> x, kt::var<double, parts> weight,
                             kt::var<double, parts, 2> mean, kt::var<double, parts, 2, 2> covariance) {
  const auto from = x[kt::at(kt::all, kt::newaxis)] - mean;  // (points, parts, 2)
  const auto u = from[kt::at(kt::all, kt::all, 0)], v = from[kt::at(kt::all, kt::all, 1)];
  const auto a = covariance[kt::at(kt::all, 0, 0)], b = covariance[kt::at(kt::all, 0, 1)],
             c = covariance[kt::at(kt::all, 1, 1)];
  const auto determinant = a * c - b * b;
  const auto distance = (c * u * u - 2.0 * b * u * v + a * v * v) / determinant;
  return kt::log(weight / (2 * std::numbers::pi * kt::sqrt(determinant))) - 0.5 * distance;
}
constexpr auto log_likelihood(kt::var<double, points, parts> densities) {
  return kt::sum(kt::logsumexp(densities, kt::axis<1>));
}

int run() {
  auto fit = kt::function([](kt::var<double, points, 2> x, kt::var<double, parts, 2> begin) {
    const auto round = kt::broadcast_to<parts, 2, 2>(kt::eye<double, 2>());
    const auto [weight, mean, covariance, likelihood] = kt::scan(
        [&](auto w, auto m, auto C) {
          const auto densities = log_densities(x, w, m, C);
          const auto share = kt::nn::softmax(densities);   // of each part in each point
          const auto total = kt::sum(share, kt::axis<0>);  // (parts)
          const auto column = total[kt::at(kt::all, kt::newaxis)];
          const auto next = kt::dot(kt::transpose(share), x) / column;
          const auto from = x[kt::at(kt::all, kt::newaxis)] - next;
          const auto spread = kt::einsum<"nk,nki,nkj->kij">(share, from, from);
          return std::tuple{total / kt::extent<double>(points), next,
                            spread / column[kt::at(kt::all, kt::all, kt::newaxis)], log_likelihood(densities)};
        },
        kt::steps<rounds>(), kt::carried(kt::full<double, parts>(1.0 / parts), begin, round));
    const auto end = log_likelihood(log_densities(x, weight.last, mean.last, covariance.last));
    // a weight may change only if the others do, so that their sum stays 1
    const auto of_weights = kt::grad(end, weight.last);
    return kt::outputs(weight.last, mean.last, covariance.last, likelihood.all,
                       kt::max(kt::abs(kt::grad(end, mean.last))), kt::max(kt::abs(kt::grad(end, covariance.last))),
                       kt::max(of_weights) - kt::min(of_weights));
  });

  constexpr double real[parts][6] = {// weight, mean, deviations along both axes, and the angle
                                     {0.5, -2, 0, 0.6, 1.4, 0.5},
                                     {0.3, 2, 1, 1.2, 0.4, 0.3},
                                     {0.2, 1, -2.5, 0.5, 0.5, 0}};
  const int count = 1500;
  std::mt19937 bits(3);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  kt::tensor<double, 2> x({count, 2});
  for (std::int64_t i = 0; i < count; ++i) {
    const double chosen = uniform(bits);
    const auto& part = real[chosen < real[0][0] ? 0 : chosen < real[0][0] + real[1][0] ? 1 : 2];
    const double u = part[3] * normal(bits), v = part[4] * normal(bits);
    x(i, 0) = part[1] + u * std::cos(part[5]) - v * std::sin(part[5]);
    x(i, 1) = part[2] + u * std::sin(part[5]) + v * std::cos(part[5]);
  }
  const kt::tensor<double, 2> begin({parts, 2}, {-1, 1, 1, 1, 0, -1});
  const auto [weight, mean, covariance, likelihood, of_means, of_covariances, of_weights] = fit(x, begin);

  double fall = 0, apart = 0;
  for (std::int64_t i = 1; i < rounds; ++i) fall = std::max(fall, likelihood(i - 1) - likelihood(i));
  for (std::int64_t k = 0; k < parts; ++k) {
    double nearest = HUGE_VAL;
    for (const auto& part : real)
      nearest =
          std::min(nearest, std::hypot(part[1] - mean(k, 0), part[2] - mean(k, 1)) + std::abs(part[0] - weight(k)));
    apart = std::max(apart, nearest);
  }
  const double slope =
      std::max({static_cast<double>(of_means), static_cast<double>(of_covariances), static_cast<double>(of_weights)});

  example::svg page(1180, 560, "Points, and the mixture of normal distributions that is found");
  const auto across = [](double u) { return 330 + 60 * u; };
  const auto down = [](double v) { return 310 - 60 * v; };
  for (std::int64_t i = 0; i < count; ++i)
    page.add("<circle cx='%.1f' cy='%.1f' r='1.5' fill='#9aa5b1'/>\n", across(x(i, 0)), down(x(i, 1)));
  const char* const colors[parts] = {"#c2410c", "#0f766e", "#1d4ed8"};
  for (std::int64_t k = 0; k < parts; ++k) {
    const double a = covariance(k, 0, 0), b = covariance(k, 0, 1), c = covariance(k, 1, 1);
    const double middle = (a + c) / 2, radius = std::hypot((a - c) / 2, b), angle = 0.5 * std::atan2(2 * b, a - c);
    for (double deviations : {1.0, 2.0})
      page.add(
          "<ellipse rx='%.1f' ry='%.1f' transform='translate(%.1f %.1f) rotate(%.1f)' fill='none' stroke='%s' "
          "stroke-width='2'/>\n",
          60 * deviations * std::sqrt(middle + radius), 60 * deviations * std::sqrt(middle - radius),
          across(mean(k, 0)), down(mean(k, 1)), -angle * 180 / std::numbers::pi, colors[k]);
  }
  example::line line{"likelihood", "#c2410c", {}};
  for (std::int64_t i = 0; i < 60; ++i) line.points.push_back({static_cast<double>(i), likelihood(i) / count});
  example::add_chart(page,
                     {720, 134, 400, 270, "logarithm of the likelihood of a point", "iteration", "", line.points[0].y,
                      line.points[59].y},
                     std::span(&line, 1));
  page.save("mixture.svg");
  std::printf("%d points in %d iterations: weights %.3f %.3f %.3f, real ones 0.5 0.3 0.2\n", count, rounds, weight(0),
              weight(1), weight(2));
  std::printf("the likelihood falls by at most %.1e, and its gradient in the end is at most %.1e\n", fall, slope);
  std::printf("picture: %s\n", std::filesystem::absolute("mixture.svg").c_str());
  const bool good = fall < 1e-8 && slope < 1e-5 && apart < 0.2;
  if (!good) std::printf("a number is not what it should be: parts are %.3f from the real ones\n", apart);
  return good ? 0 : 1;
}

int main() { return example::status_of("mixture", run); }
