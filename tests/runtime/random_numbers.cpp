// Random numbers in functions and sessions: seeds, calls, draws, places and pieces; and their statistics.
#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include "../sanitized.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace kt = kroton;

namespace {

constexpr struct batch : kt::dim<batch> {} batch;
constexpr struct n : kt::dim<n> {} n;
constexpr struct near_place : kt::context_name<near_place> {} near_place;

struct noisy : kt::model {
  kt::shared<float, 3> w{this, "w", kt::init::ones};
  constexpr auto scaled(kt::var<float, batch, 3> x) const { return kt::nn::dropout(x * w, 0.4); }
  constexpr auto noise() const { return kt::random::normal<float, 4>(); }
  constexpr auto frozen() const { return kt::outputs(kt::random::normal<float, 4>()).no_default_updates(); }
  constexpr auto train(kt::var<float, batch, 3> x) const {
    const auto y = scaled(x);
    const auto cost = kt::sum(y * y);
    return kt::outputs(cost, y, kt::grad(cost, w));
  }
};
using row = kt::tensor<float, 1>;

template <class X, class Y>
bool same(const X& x, const Y& y) {
  return std::equal(x.begin(), x.end(), y.begin(), y.end());
}
/// Compares two calls with the interpreter.
template <class Function, class... X>
void check(Function& f, const X&... x) {
  for (int call = 0; call < 2; ++call) {
    const kt::debug::comparison found = kt::debug::verify(f, x...);
    CAPTURE(found.where);
    CHECK(found.ok);
  }
}

TEST_CASE("random: calls, seeds, and functions of one session") {
  kt::session<noisy> session{kt::context::host(), kt::seed{3}}, again{kt::context::host(), kt::seed{3}};
  auto noise = session.compile<&noisy::noise>(), other = again.compile<&noisy::noise>();
  auto frozen = session.compile<&noisy::frozen>();
  const row first = noise(), second = noise();
  CHECK(!same(first, second));
  CHECK(same(frozen(), frozen()));
  const row third = noise();
  CHECK(!same(third, second));
  CHECK(same(frozen(), other.clone()()) == false);
  session.reseed(kt::seed{3});
  CHECK(same(noise(), first));
  CHECK(same(other(), second));  // its clone has called before
  session.reseed(kt::seed{4});
  CHECK(!same(noise(), first));
  noise.reseed(kt::seed{3});
  CHECK(same(noise(), first));

  kt::session<noisy> copied = session.copy();
  CHECK(same(copied.compile<&noisy::noise>()(), noise()));

  auto own = kt::function([] { return kt::random::normal<float, 4>(); }, kt::context::host(), kt::seed{3});
  auto twin = kt::function([] { return kt::random::normal<float, 4>(); }, kt::context::host(), kt::seed{3});
  CHECK(same(own(), first));
  CHECK(same(own(), second));
  CHECK(same(twin(), first));
  const kt::seed wide{0xFFFFFFFFFFFFFFFF};
  own.reseed(wide);
  const row of_wide = own();
  twin.reseed(kt::seed{0x7FFFFFFFFFFFFFFF});
  CHECK(!same(of_wide, twin()));
}

TEST_CASE("random: one draw a call, however often it is used") {
  kt::session<noisy> session{kt::context::host(), kt::seed{3}};
  auto train = session.compile<&noisy::train>();
  kt::tensor<float, 2> x({700, 3});
  for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<float>(i % 13);
  const auto [cost, y, gradient] = train(x);
  double sum = 0, slope[3] = {};
  for (std::int64_t i = 0; i < x.size(); ++i) {
    sum += static_cast<double>(y.data()[i]) * static_cast<double>(y.data()[i]);
    slope[i % 3] += 2 * static_cast<double>(y.data()[i]) * static_cast<double>(y.data()[i]);  // w is 1
  }
  CHECK(static_cast<float>(cost) == doctest::Approx(sum).epsilon(1e-5));
  for (std::int64_t i = 0; i < 3; ++i) CHECK(gradient(i) == doctest::Approx(slope[i]).epsilon(1e-5));
  check(train, x);

  auto f = kt::function([](kt::var<float, batch, 3> a) {
    const auto u = kt::random::uniform<float, batch, 3>(), v = kt::random::uniform<float, batch, 3>();
    return kt::outputs(u - u, kt::max(kt::abs(u - v)), kt::transpose(u)[kt::at(1, kt::all)] - u[kt::at(kt::all, 1)],
                       kt::dot(kt::transpose(u), a), kt::sum(u * a, kt::axis<0>), kt::sum(u + a, kt::axis<1>),
                       u[kt::rows(1, 2)] + kt::random::normal<float, 1, 3>());
  });
  const auto found = f(x);
  for (const float zero : std::get<0>(found)) CHECK(zero == 0);
  CHECK(static_cast<float>(std::get<1>(found)) > 0.9f);
  for (const float zero : std::get<2>(found)) CHECK(zero == 0);
  check(f, x);
  static_assert(kt::stats<&noisy::scaled>().launches == 2);  // the mask is in the kernel of its neighbours
}

TEST_CASE("random: element types, parameters that are expressions, and their gradients") {
  auto f = kt::function([](kt::var<float, n> x, kt::var<int, n> k, kt::var<float> p) {
    const auto z = kt::random::normal(x, kt::exp(x));
    const auto e = kt::random::exponential(1 + x * x);
    return kt::outputs(kt::random::uniform(x, x + 1), z, e, kt::random::integers(k, k + 10),
                       kt::random::bernoulli(kt::sigmoid(x)), kt::random::uniform<kt::half, n>(-1, 1),
                       kt::random::normal<kt::bfloat16, n>(), kt::random::integers<std::int8_t, n>(-128, 127),
                       kt::random::bernoulli<int, n>(0.5), kt::grad(kt::sum(z * z) + kt::sum(e), x),
                       kt::nn::dropout(x, p), kt::random::uniform<float>() * p,
                       kt::random::integers<std::uint64_t, n>(0, ~std::uint64_t{0}));
  });
  kt::tensor<float, 1> x({100});
  kt::tensor<int, 1> k({100});
  for (std::int64_t i = 0; i < 100; ++i) x(i) = static_cast<float>(i - 50) / 25, k(i) = static_cast<int>(7 * i);
  check(f, x, k, 0.25f);
  const auto found = f(x, k, 1.0f);
  for (std::int64_t i = 0; i < 100; ++i) {
    CHECK(std::get<0>(found)(i) >= x(i));
    CHECK(std::get<0>(found)(i) <= x(i) + 1);
    CHECK(std::get<3>(found)(i) >= k(i));
    CHECK(std::get<3>(found)(i) < k(i) + 10);
    CHECK(std::get<10>(found)(i) == 0);
  }
  const auto lost = f(x, k, std::numeric_limits<float>::quiet_NaN());
  for (std::int64_t i = 0; i < 100; ++i) CHECK(std::isnan(std::get<10>(lost)(i)));
  kt::tensor<float, 1> none({0});
  kt::tensor<int, 1> no_integers({0});
  check(f, none, no_integers, 0.5f);
  auto whole = kt::function([](kt::var<float, n> a) { return kt::nn::dropout(a, 0) - kt::nn::dropout(a, 1); });
  CHECK(same(whole(x), x));
}

TEST_CASE("random: dropout in kernels that read its positions in any order") {
  auto f = kt::function([](kt::var<float, batch, 50> x, kt::var<float> p) {
    const auto y = kt::nn::dropout(x, 0.1), z = kt::nn::dropout(x, p);
    return kt::outputs(y, kt::transpose(y), z, kt::transpose(z) + 1, kt::sum(y * z, kt::axis<0>),
                       x * kt::nn::dropout(x[kt::at(kt::all, kt::slice(0, 1))], 0.75));
  });
  kt::tensor<float, 2> x({90, 50});
  for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<float>(i % 7 + 1);
  check(f, x, 0.5f);
  check(f, x, 0.3f);
}

TEST_CASE("random: positions and rows by their weights") {
  auto f = kt::function(
      [](kt::var<double, n, 4> weights, kt::var<float, n, 2> rows) {
        const auto w = weights[0];
        return kt::outputs(kt::random::categorical(weights), kt::random::categorical<4000>(w),
                           kt::random::choice<100>(rows), kt::random::choice(rows),
                           kt::random::choice<3, 2>(rows, rows[kt::at(kt::all, 0)]));
      },
      kt::context::host(), kt::seed{1});
  const kt::tensor<double, 2> weights({3, 4}, {1, 2, 0, 5, 0, 0, 1, 0, 3, 3, 3, 3});
  const kt::tensor<float, 2> rows({3, 2}, {1, 10, 2, 20, 3, 30});
  double counts[4] = {};
  for (int call = 0; call < 3; ++call) {
    const auto [each, many, chosen, one, weighted] = f(weights, rows);
    CHECK(each(0) != 2);
    CHECK(each(1) == 2);
    for (const std::int64_t k : many) counts[k] += 1;
    for (std::int64_t i = 0; i < 100; ++i) CHECK(chosen(i, 1) == 10 * chosen(i, 0));
    CHECK(one(1) == 10 * one(0));
    CHECK(weighted(2, 1, 1) == 10 * weighted(2, 1, 0));
  }
  CHECK(counts[2] == 0);
  for (const int k : {0, 1, 3}) {
    const double p = weights(0, k) / 8;
    CHECK(std::abs(counts[k] - 12000 * p) < 4 * std::sqrt(12000 * p * (1 - p)));
  }
  check(f, weights, rows);
  auto none = kt::function([](kt::var<float, n, 2> of) { return kt::random::choice<2>(of); });
  CHECK_THROWS_AS(none(kt::tensor<float, 2>({0, 2})), kt::index_error);
}

TEST_CASE("random: the same for any threads, places and pieces") {
  constexpr auto draws = [](kt::var<float, batch, 5> x) {
    const auto y = kt::nn::dropout(x, 0.25) + kt::random::normal<float, batch, 5>();
    return kt::outputs(y, kt::random::exponential<double, batch>());
  };
  kt::tensor<float, 2> x({27001, 5});
  std::iota(x.begin(), x.end(), 0.0f);
  auto one = kt::function(draws, kt::context::host(1)), two = kt::function(draws, kt::context::host(2));
  auto divided = kt::function(draws, kt::context::host(2));
  auto pieces = kt::chunked<batch>(divided, 1234);
  for (int call = 0; call < (test::is_sanitized ? 1 : 2); ++call) {
    const auto expected = one(x), found = two(x), of_pieces = pieces(x);
    CHECK(same(std::get<0>(found), std::get<0>(expected)));
    CHECK(same(std::get<1>(found), std::get<1>(expected)));
    CHECK(same(std::get<0>(of_pieces), std::get<0>(expected)));
    CHECK(same(std::get<1>(of_pieces), std::get<1>(expected)));
  }
  kt::context::map("near_place", "cpu0");
  auto placed = kt::function([](kt::var<float, n> y) {
    const auto u = kt::random::uniform<float, n>();
    return kt::outputs(kt::transfer<kt::host>(kt::transfer<near_place>(y) * u), y * u);
  });
  kt::tensor<float, 1> ones({300});
  for (float& v : ones) v = 1;
  const auto [there, here] = placed(ones);
  CHECK(same(there, here));
}

TEST_CASE("random: statistics of ten million numbers") {
  constexpr std::int64_t count = test::is_sanitized ? 250'000 : 10'000'000;
  auto f = kt::function([] {
    return kt::outputs(kt::random::uniform<float, count>(), kt::random::normal<float, count>(),
                       kt::random::exponential<float, count>(), kt::random::integers<std::uint8_t, count>(0, 250));
  });
  const auto found = f();
  // of Kolmogorov and Smirnov, times sqrt(count), at 2^16 quantiles
  const auto distance = [](const kt::tensor<float, 1>& x, auto cdf) {
    std::vector<std::int64_t> bins(1 << 16);
    for (const float v : x) ++bins[static_cast<std::size_t>(std::min(cdf(v) * 65536, 65535.0))];
    double largest = 0;
    std::int64_t below = 0, edge = 0;
    for (const std::int64_t in_bin : bins) {
      below += in_bin;
      largest = std::max(largest, std::abs(static_cast<double>(below) / count - static_cast<double>(++edge) / 65536));
    }
    return largest * std::sqrt(static_cast<double>(count));
  };
  const auto& [uniform, normal, exponential, integers] = found;
  CHECK(distance(uniform, [](float x) { return static_cast<double>(x); }) < 1.95);  // exceeded once in a thousand seeds
  CHECK(distance(normal, [](float x) { return 0.5 * std::erfc(static_cast<double>(x) * -std::sqrt(0.5)); }) < 1.95);
  CHECK(distance(exponential, [](float x) { return -std::expm1(-static_cast<double>(x)); }) < 1.95);

  double moments[4] = {}, neighbours = 0, distant = 0, draws = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double z = normal(i);
    for (double power = z; double& m : moments) m += power, power *= z;
    if (i + 1 < count) neighbours += z * static_cast<double>(normal(i + 1));
    if (i + 64 < count) distant += z * static_cast<double>(normal(i + 64));
    draws += z * (static_cast<double>(uniform(i)) - 0.5) * std::sqrt(12.0);
  }
  const double root = std::sqrt(static_cast<double>(count));
  const double expected[] = {0, 1, 0, 3}, deviation[] = {1, std::sqrt(2.0), std::sqrt(15.0), std::sqrt(96.0)};
  for (int i = 0; i < 4; ++i) {
    CAPTURE(i);
    CHECK(std::abs(moments[i] / count - expected[i]) * root < 4 * deviation[i]);
  }
  CHECK(std::abs(neighbours) / root < 4);
  CHECK(std::abs(distant) / root < 4);
  CHECK(std::abs(draws) / root < 4);

  double counts[250] = {}, chi_squared = 0;
  for (const std::uint8_t k : integers) counts[k] += 1;
  for (const double c : counts) chi_squared += (c - count / 250.0) * (c - count / 250.0) / (count / 250.0);
  CHECK(std::abs(chi_squared - 249) < 4 * std::sqrt(2 * 249.0));
}

}  // namespace
