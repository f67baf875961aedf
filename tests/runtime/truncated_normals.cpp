// Truncated normal numbers: their bounds and statistics.
#include <kroton/kroton.hpp>

#include "../sanitized.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace kt = kroton;

namespace {

constexpr std::int64_t count = test::is_sanitized ? 20'000 : 200'000;
constexpr double infinity = std::numeric_limits<double>::infinity();

double below(double z) { return 0.5 * std::erfc(z * -std::sqrt(0.5)); }
/// The share of [low, x] in [low, high], from the end of the distribution that is nearer.
double share(double x, double low, double high) {
  if (low > 0) return (below(-low) - below(-x)) / (below(-low) - below(-high));
  return (below(x) - below(low)) / (below(high) - below(low));
}
/// Checks that numbers are in [low, high], and their distance by Kolmogorov and Smirnov times sqrt(count), which
/// exceeds the bound once in a thousand seeds. Distances are in standard deviations from the mean.
template <class T>
void check_distribution(const kt::tensor<T, 1>& x, double low, double high) {
  CAPTURE(low);
  std::vector<double> all(x.begin(), x.end());
  std::sort(all.begin(), all.end());
  double largest = 0, i = 0;
  for (const double v : all) {
    const double at = share(v, low, high), size = static_cast<double>(all.size());
    largest = std::max({largest, std::abs(at - i / size), std::abs(at - (i + 1) / size)});
    ++i;
  }
  CHECK(all.front() >= low);
  CHECK(all.back() <= high);
  CHECK(largest * std::sqrt(static_cast<double>(all.size())) < 1.95);
}

TEST_CASE("truncated normal numbers: their distribution, also far from the mean") {
  auto f = kt::function([] {
    return kt::outputs(kt::random::truncated_normal<float, count>(), kt::random::truncated_normal<double, count>(),
                       kt::random::truncated_normal<float, count>(0, 1, -1, 3),
                       kt::random::truncated_normal<float, count>(0, 1, 0, infinity),
                       kt::random::truncated_normal<double, count>(0, 1, -infinity, -8),
                       kt::random::truncated_normal<double, count>(0, 1, 12, 12.5));
  });
  const auto [standard, wide, both, upper, low_tail, high_tail] = f();
  check_distribution(standard, -2, 2);
  check_distribution(wide, -2, 2);
  check_distribution(both, -1, 3);
  check_distribution(upper, 0, infinity);
  check_distribution(low_tail, -infinity, -8);
  check_distribution(high_tail, 12, 12.5);
  double sum = 0, squares = 0;
  for (const float v : standard)
    sum += static_cast<double>(v), squares += static_cast<double>(v) * static_cast<double>(v);
  CHECK(std::abs(sum / count) * std::sqrt(static_cast<double>(count) / 0.7737) < 4);
  CHECK(squares / count == doctest::Approx(0.7737413).epsilon(4 / std::sqrt(static_cast<double>(count))));
}

TEST_CASE("truncated normal numbers: known answers of the first draw") {
  auto f = kt::function([] { return kt::random::truncated_normal<double, 4>(); }, kt::context::host(), kt::seed{1});
  auto normal = kt::function([] { return kt::random::normal<double, 4>(); }, kt::context::host(), kt::seed{1});
  const auto found = f(), z = normal();  // of the same bits
  for (int i = 0; i < 4; ++i) CHECK(share(found(i), -2, 2) == doctest::Approx(below(z(i))).epsilon(1e-13));
}

}  // namespace
