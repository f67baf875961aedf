// Prices an option on the average of a share by Monte-Carlo, with standard errors, and its delta and vega by
// differentiating each path. The option on the geometric average of the same paths, whose price is known exactly,
// checks them and takes most of the error away (A. Kemna, A. Vorst 1990).
#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "progress.hpp"
#include "svg_chart.hpp"

namespace kt = kroton;

inline constexpr struct paths : kt::dim<paths> {} paths;  // a named extent

constexpr int dates = 52;  // of the average, the last of which ends the option
constexpr double strike = 100, rate = 0.05, years = 1, spot = 100, volatility = 0.25;
constexpr int estimates = 6;  // price, delta and vega with the arithmetic average, and the same with the geometric one

/// Each path has a spot and a volatility of its own, so that there is a derivative for each path.
template <template <class, auto...> class Var>
struct shares {
  Var<double, paths> spot, volatility;
};

/// The sums of all estimates over the paths, and those of their products.
constexpr auto simulated(shares<kt::var> of) {
  constexpr double step = years / dates;
  auto time = (kt::arange<double, dates>() + 1) * step;
  auto brownian = kt::cumsum(kt::constexpr_sqrt(step) * kt::random::normal<double, paths, dates>(), kt::axis<1>);
  auto s = of.volatility[kt::at(kt::all, kt::newaxis)];
  auto growth = (rate - 0.5 * kt::sqr(s)) * time + s * brownian;  // of the logarithm
  constexpr double discount = kt::constexpr_exp(-rate * years);
  auto arithmetic = discount * kt::relu(of.spot * kt::mean(kt::exp(growth), kt::axis<1>) - strike);
  auto geometric = discount * kt::relu(of.spot * kt::exp(kt::mean(growth, kt::axis<1>)) - strike);
  auto price = kt::sum(arithmetic), known = kt::sum(geometric);
  auto all = kt::stack(kt::axis<1>, arithmetic, kt::grad(price, of.spot), kt::grad(price, of.volatility),  //
                       geometric, kt::grad(known, of.spot), kt::grad(known, of.volatility));
  return kt::outputs(kt::sum(all, kt::axis<0>), kt::dot(kt::transpose(all), all));
}

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

/// Price, delta and vega with the geometric average, whose logarithm is normal.
std::array<double, 3> exact_geometric() {
  constexpr double n = dates, time = years * (n + 1) / (2 * n), spread = years * (n + 1) * (2 * n + 1) / (6 * n * n);
  const double forward =
      spot * std::exp((rate - 0.5 * volatility * volatility) * time + 0.5 * volatility * volatility * spread);
  const double deviation = volatility * std::sqrt(spread), discount = std::exp(-rate * years);
  const double below = (std::log(forward / strike) - 0.5 * deviation * deviation) / deviation,
               above = below + deviation;
  const double density = std::exp(-0.5 * below * below) / std::sqrt(2 * std::numbers::pi);
  return {
      discount * (forward * normal_cdf(above) - strike * normal_cdf(below)),
      discount * forward / spot * normal_cdf(above),
      discount * (forward * normal_cdf(above) * volatility * (spread - time) + strike * density * std::sqrt(spread))};
}

struct estimate {
  double value, error;  ///< the mean, and its standard error
};

/// Sums over all paths so far.
struct totals {
  double count = 0, sum[estimates] = {}, products[estimates][estimates] = {};

  void add(double more, const kt::tensor<double, 1>& sums, const kt::tensor<double, 2>& squares) {
    count += more;
    for (int i = 0; i < estimates; ++i) {
      sum[i] += sums(i);
      for (int j = 0; j < estimates; ++j) products[i][j] += squares(i, j);
    }
  }
  double covariance(int i, int j) const { return (products[i][j] - sum[i] * sum[j] / count) / (count - 1); }
  estimate plain(int i) const { return {sum[i] / count, std::sqrt(covariance(i, i) / count)}; }
  /// Estimate i, less the error of estimate i + 3 times the slope of one against the other.
  estimate controlled(int i, double exact) const {
    const int j = i + 3;
    const double slope = covariance(i, j) / covariance(j, j);
    const double rest = covariance(i, i) - slope * covariance(i, j);
    return {(sum[i] - slope * (sum[j] - count * exact)) / count, std::sqrt(std::max(rest, 0.0) / count)};
  }
};

/// How the price gets on with the number of paths, and its error on logarithmic axes, where it falls by half.
void draw(const std::vector<example::line>& prices, const std::vector<example::line>& errors, estimate last) {
  const double low = last.value - 8 * last.error, high = last.value + 8 * last.error;
  example::svg page(1180, 480, "An option on the average of a share, by Monte-Carlo");
  page.add(
      "<text x='40' y='70' fill='#52606d'>the geometric average of the same paths, whose option has a known price, "
      "is the control</text>\n");
  example::add_chart(page, {76, 134, 420, 270, "price", "thousands of paths", "", low, high, low, high}, prices);
  example::add_chart(
      page, {570, 134, 420, 270, "standard error, decimal logarithm", "decimal logarithm of the paths", "", -4, -1},
      errors);
  example::add_legend(page, 1015, 150, std::span(prices).subspan(1));
  page.save("asian_option.svg");
}

int main() {
  auto simulate = kt::function([](shares<kt::var> of) { return simulated(of); }, kt::context::best(), kt::seed{1});
  const std::vector<double> few_spots(64, spot), few_volatilities(64, volatility);
  if (const auto found = kt::debug::verify(simulate, {.spot = few_spots, .volatility = few_volatilities}); !found) {
    std::printf("%s is %.12g, the reference interpreter says %.12g\n", found.where.c_str(), found.found,
                found.expected);
    return 1;
  }

  const std::size_t piece = example::is_short() ? 256 : 16384;
  const int pieces = example::is_short() ? 4 : 32;
  const std::vector<double> spots(piece, spot), volatilities(piece, volatility);
  const std::array<double, 3> exact = exact_geometric();
  totals all;
  std::vector<example::line> prices = {{"two standard errors below", "#fdba74", {}},
                                       {"two standard errors", "#fdba74", {}},
                                       {"plain", "#c2410c", {}},
                                       {"with control", "#0f766e", {}}};
  std::vector<example::line> errors = {prices[2], prices[3]};
  example::progress progress("piece", pieces);
  for (int i = 1; i <= pieces; ++i) {
    const auto [sums, squares] = simulate({.spot = spots, .volatility = volatilities});
    all.add(static_cast<double>(piece), sums, squares);
    const estimate price = all.plain(0), better = all.controlled(0, exact[0]);
    const double of_line[] = {price.value - 2 * price.error, price.value + 2 * price.error, price.value, better.value};
    for (std::size_t k = 0; k < 4; ++k) prices[k].points.push_back({all.count / 1000, of_line[k]});
    errors[0].points.push_back({std::log10(all.count), std::log10(price.error)});
    errors[1].points.push_back({std::log10(all.count), std::log10(better.error)});
    const auto so_far = example::text("price %.5f +- %.5f, controlled %.5f +- %.5f", price.value, price.error,
                                      better.value, better.error);
    if (i % 8 == 0) progress.report(i, so_far);
    else progress.update(i, so_far);
  }
  progress.finish();
  draw(prices, errors, all.plain(0));

  bool good = true;
  const char* const names[] = {"price", "delta", "vega"};
  std::printf(
      "\n%s paths of %d dates\n       geometric average                 exactly    "
      "arithmetic average                with the geometric one as control\n",
      example::grouped(all.count).c_str(), dates);
  for (int i = 0; i < 3; ++i) {
    const std::size_t at = static_cast<std::size_t>(i);
    const estimate known = all.plain(i + 3), plain = all.plain(i), better = all.controlled(i, exact[at]);
    std::printf("%-5s  %9.5f +- %.5f  %15.5f  %9.5f +- %.5f  %20.5f +- %.5f\n", names[i], known.value, known.error,
                exact[at], plain.value, plain.error, better.value, better.error);
    good = good && std::abs(known.value - exact[at]) < 4 * known.error;
    good = good && std::abs(plain.value - better.value) < 4 * plain.error && better.error < plain.error;
  }
  std::printf("picture: %s\n", std::filesystem::absolute("asian_option.svg").c_str());
  if (!good) std::printf("an estimate is more than four standard errors away from what is known\n");
  return good ? 0 : 1;
}
