// Heat on a ring, in 1,000 steps of one loop, and backwards through all of them: how the end changes with the beginning
// and with the diffusivity. Both gradients are compared with differences, and the decay of a wave with the exact one.
// Then the diffusivity of a measured end is found by Newton's method, with second derivatives through the loop.
#include <kroton/kroton.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numbers>
#include <string>
#include <vector>

#include "program.hpp"
#include "progress.hpp"
#include "svg_chart.hpp"

namespace kt = kroton;

inline constexpr struct points : kt::dim<points> {} points;  // of the ring

constexpr int all_steps = 1000;

/// The temperatures after all steps.
constexpr auto end_of(kt::var<double, points> begin, kt::var<double> diffusivity) {
  return kt::reduce([&](auto u) { return u + diffusivity * (kt::roll(u, 1) - 2.0 * u + kt::roll(u, -1)); },
                    kt::steps<all_steps>(), kt::carried(begin));
}
/// Half the squared distance of the end from a measured one.
constexpr auto distance(kt::var<double, points> begin, kt::var<double> diffusivity, kt::var<double, points> measured) {
  return 0.5 * kt::sum(kt::sqr(end_of(begin, diffusivity) - measured));
}

using numbers = std::vector<double>;

numbers values_of(const kt::tensor<double, 1>& x) { return numbers(x.begin(), x.end()); }

example::line line_of(const char* name, const char* color, const numbers& values) {
  example::line made{name, color, {}};
  for (std::size_t i = 0; i < values.size(); ++i) made.points.push_back({static_cast<double>(i), values[i]});
  return made;
}

int run() {
  auto end = kt::function([](kt::var<double, points> begin, kt::var<double> d) { return end_of(begin, d); });
  auto adjoint = kt::function([](kt::var<double, points> begin, kt::var<double> d, kt::var<double, points> measured) {
    const auto cost = distance(begin, d, measured);
    return kt::outputs(cost, kt::grad(cost, begin), kt::grad(cost, d));
  });
  auto newton = kt::function([](kt::var<double, points> begin, kt::var<double> d, kt::var<double, points> measured) {
    const auto cost = distance(begin, d, measured);
    return kt::outputs(cost, d - kt::grad(cost, d) / kt::hessian(cost, d));
  });

  const std::size_t count = 200;
  numbers wave(count), begin(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double at = static_cast<double>(i) / static_cast<double>(count);
    wave[i] = std::sin(6 * std::numbers::pi * at);
    begin[i] = at > 0.2 && at < 0.35 ? 1 : at > 0.6 && at < 0.65 ? 2 : 0;
  }

  // a wave keeps its form, and decays by the same factor in each step
  const double d = 0.3;
  const double factor = 1 - 4 * d * std::pow(std::sin(3 * std::numbers::pi / static_cast<double>(count)), 2);
  const numbers decayed = values_of(end(wave, d));
  double of_wave = 0;
  for (std::size_t i = 0; i < count; ++i)
    of_wave = std::max(of_wave, std::abs(decayed[i] - std::pow(factor, all_steps) * wave[i]));

  // the end that is measured has another diffusivity
  const double real = 0.41;
  const numbers measured = values_of(end(begin, real));
  const auto [cost, of_begin, of_d] = adjoint(begin, d, measured);
  const auto cost_of = [&](const numbers& from, double with) {
    return static_cast<double>(std::get<0>(adjoint(from, with, measured)));
  };
  const double h = 1e-6;
  const double by_d = (cost_of(begin, d + h) - cost_of(begin, d - h)) / (2 * h);
  double worst = std::abs(by_d - static_cast<double>(of_d)) / std::abs(by_d);
  for (std::size_t i = 0; i < count; i += 40) {
    numbers above = begin, below = begin;
    above[i] += h;
    below[i] -= h;
    const double by_begin = (cost_of(above, d) - cost_of(below, d)) / (2 * h);
    worst = std::max(worst, std::abs(by_begin - of_begin.data()[i]) / (1e-3 + std::abs(by_begin)));
  }

  double found = d;
  int iterations = 0;
  for (; iterations < 20; ++iterations) {
    const auto [now, next] = newton(begin, found, measured);
    if (static_cast<double>(now) < 1e-24) break;
    found = static_cast<double>(next);
  }

  const example::line lines[] = {line_of("begin", "#9aa5b1", begin), line_of("after 1,000 steps", "#c2410c", measured)};
  const example::line slopes[] = {line_of("gradient", "#0f766e", values_of(of_begin))};
  example::svg page(1180, 480, "Heat on a ring, and the way back through 1,000 steps");
  example::add_chart(page, {76, 134, 420, 270, "temperature", "point"}, lines);
  example::add_legend(page, 350, 106, lines);
  example::add_chart(page, {640, 134, 420, 270, "gradient with respect to the begin", "point"}, slopes);
  page.save("heat_equation.svg");

  std::printf("a wave after %d steps: at most %.1e from the exact one\n", all_steps, of_wave);
  std::printf("gradients and differences: at most %.1e apart, beside their size\n", worst);
  std::printf("diffusivity %.12f, found in %d steps of Newton's method: %.12f\n", real, iterations, found);
  std::printf("picture: %s\n", std::filesystem::absolute("heat_equation.svg").c_str());
  const bool good = of_wave < 1e-12 && worst < 1e-5 && std::abs(found - real) < 1e-10 && static_cast<double>(cost) > 0;
  if (!good) std::printf("a number is not what it should be\n");
  return good ? 0 : 1;
}

int main() { return example::status_of("heat_equation", run); }
