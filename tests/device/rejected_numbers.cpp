// Numbers that are drawn by rejection on a device: those of the host.
#include "device.hpp"

using namespace test;

namespace {

constexpr struct batch : kt::dim<batch> {} batch;

// what the parameters are made of is exact, because devices may round functions otherwise
constexpr auto draws = [](kt::var<float, batch, 6> x) {
  const auto size = kt::abs(x);
  const auto z = kt::random::gamma(size * 4);
  return kt::outputs(kt::random::poisson<int, batch, 6>(size * 32), kt::random::binomial<double, 6>(50, 0.3),
                     kt::random::multinomial<int>(100, size), z, kt::grad(kt::sum(z), x));
};

TEST_CASE("device: numbers that are drawn by rejection are those of the host") {
  auto f = kt::function<kt::policy::none, backend>(draws, device(0), kt::seed{9});
  auto host = kt::function(draws, kt::context::host(), kt::seed{9});
  const auto same = [](const auto& x, const auto& y) { return std::equal(x.begin(), x.end(), y.begin(), y.end()); };
  for (const std::int64_t rows : {5, 5, 1001, 0}) {
    const auto x = random<float, 2>({rows, 6}, 1);
    const auto [counts, trials, outcomes, z, slope] = f(x);
    const auto [of_counts, of_trials, of_outcomes, of_z, of_slope] = host(x);
    CAPTURE(rows);
    CHECK(same(counts, of_counts));
    CHECK(same(trials, of_trials));
    CHECK(same(outcomes, of_outcomes));
    CHECK(same(z, of_z));
    CHECK(same(slope, of_slope));
  }
  check_call(f, random<float, 2>({20, 6}, 1));
}

}  // namespace
