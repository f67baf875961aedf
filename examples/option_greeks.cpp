// The price of a European option by the formula of Black and Scholes, and all its derivatives of first and second order
// with respect to spot, volatility, time and rate, for each of many options: a gradient and a Hessian of each, lifted
// over all. They are compared with the formulas of the books.
#include <kroton/kroton.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numbers>
#include <string>
#include <vector>

#include "program.hpp"
#include "svg_chart.hpp"

namespace kt = kroton;

inline constexpr struct options : kt::dim<options> {} options;

constexpr double strike = 100;

/// The price of one option: spot, volatility, years until it ends, and rate.
constexpr auto price(kt::var<double, 4> x) {
  const auto spot = x[0], volatility = x[1], years = x[2], rate = x[3];
  const auto deviation = volatility * kt::sqrt(years);
  const auto above = (kt::log(spot / strike) + (rate + 0.5 * kt::sqr(volatility)) * years) / deviation;
  return spot * kt::normal_cdf(above) - strike * kt::exp(-rate * years) * kt::normal_cdf(above - deviation);
}

/// What the books say of one option.
struct formulas {
  double price, delta, vega, theta, rho, gamma, vanna, volga, charm, veta;
  formulas(double spot, double volatility, double years, double rate) {
    const double root = std::sqrt(years), deviation = volatility * root;
    const double d1 = (std::log(spot / strike) + (rate + volatility * volatility / 2) * years) / deviation;
    const double d2 = d1 - deviation, density = std::exp(-d1 * d1 / 2) / std::sqrt(2 * std::numbers::pi);
    const auto cdf = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
    const double paid = strike * std::exp(-rate * years);
    price = spot * cdf(d1) - paid * cdf(d2);
    delta = cdf(d1);
    vega = spot * density * root;
    theta = spot * density * volatility / (2 * root) + rate * paid * cdf(d2);  // with the time that is left
    rho = paid * years * cdf(d2);
    gamma = density / (spot * deviation);
    vanna = -density * d2 / volatility;
    volga = vega * d1 * d2 / volatility;
    charm = density * (2 * rate * years - d2 * deviation) / (2 * years * deviation);
    veta = spot * density * root * (1 / (2 * years) - d1 * (rate / deviation - d2 / (2 * years)));
  }
};

int run() {
  auto greeks = kt::function([](kt::var<double, options, 4> x) {
    const auto [value, slopes, curvatures] = kt::vmap<options>([](auto each) {
      const auto p = price(each);
      return std::tuple{p, kt::grad(p, each), kt::hessian(p, each)};
    })(x);
    return kt::outputs(value, slopes, curvatures);
  });

  constexpr std::int64_t drawn = 401;  // of one volatility, and as many others
  kt::tensor<double, 2> x({2 * drawn, 4});
  for (std::int64_t i = 0; i < 2 * drawn; ++i) {
    const bool varies = i >= drawn;
    x(i, 0) = 60 + 0.2 * static_cast<double>(i % drawn);
    x(i, 1) = varies ? 0.1 + 0.005 * static_cast<double>(i % 37) : 0.2;
    x(i, 2) = varies ? 0.1 + 0.05 * static_cast<double>(i % 53) : 0.75;
    x(i, 3) = varies ? 0.001 * static_cast<double>(i % 71) : 0.03;
  }
  const auto [prices, slopes, curvatures] = greeks(x);

  double worst = 0;
  example::line lines[] = {{"price / 10", "#9aa5b1", {}}, {"delta", "#c2410c", {}}, {"vega / 30", "#0f766e", {}}};
  example::line second[] = {{"gamma", "#c2410c", {}}, {"vanna / 50", "#0f766e", {}}, {"volga / 2,000", "#1d4ed8", {}}};
  for (std::int64_t i = 0; i < x.extent(0); ++i) {
    const formulas known(x(i, 0), x(i, 1), x(i, 2), x(i, 3));
    const double found[] = {prices(i),           slopes(i, 0),        slopes(i, 1),        slopes(i, 2),
                            slopes(i, 3),        curvatures(i, 0, 0), curvatures(i, 0, 1), curvatures(i, 1, 1),
                            curvatures(i, 0, 2), curvatures(i, 1, 2), curvatures(i, 2, 1)};
    const double expected[] = {known.price, known.delta, known.vega,  known.theta, known.rho, known.gamma,
                               known.vanna, known.volga, known.charm, known.veta,  known.veta};
    for (std::size_t k = 0; k < std::size(found); ++k)
      worst = std::max(worst, std::abs(found[k] - expected[k]) / (1 + std::abs(expected[k])));
    if (i >= drawn) continue;
    lines[0].points.push_back({x(i, 0), found[0] / 10});
    lines[1].points.push_back({x(i, 0), found[1]});
    lines[2].points.push_back({x(i, 0), found[2] / 30});
    second[0].points.push_back({x(i, 0), found[5]});
    second[1].points.push_back({x(i, 0), found[6] / 50});
    second[2].points.push_back({x(i, 0), found[7] / 2000});
  }
  example::svg page(1180, 480, "A European option, and its derivatives of first and second order");
  example::add_chart(page, {76, 134, 400, 270, "first order", "spot"}, lines);
  example::add_legend(page, 100, 150, lines);
  example::add_chart(page, {620, 134, 400, 270, "second order", "spot"}, second);
  example::add_legend(page, 1040, 150, second);
  page.save("option_greeks.svg");
  std::printf("%d options, 4 first and 10 second derivatives of each: at most %.1e from the formulas\n",
              static_cast<int>(x.extent(0)), worst);
  std::printf("picture: %s\n", std::filesystem::absolute("option_greeks.svg").c_str());
  if (!(worst < 1e-10)) std::printf("a derivative is not that of the formula\n");
  return worst < 1e-10 ? 0 : 1;
}

int main() { return example::status_of("option_greeks", run); }
