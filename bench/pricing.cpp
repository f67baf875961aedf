// Prices of options with five derivatives, as Kroton derives them and as one writes them by hand.
#include <kroton/kroton.hpp>

#include "table.hpp"

#ifdef KROTON_BENCH_EIGEN
#include <unsupported/Eigen/SpecialFunctions>
#include <Eigen/Core>
#endif

#include <cmath>
#include <random>
#include <xsimd/xsimd.hpp>

namespace kt = kroton;

namespace {

inline constexpr struct n : kt::dim<n> {} n;

constexpr std::int64_t options = 1 << 20, inputs = 5, results = 6;

/// The price of a European call by Black and Scholes with delta, gamma, vega, theta and rho.
template <class T>
constexpr auto greeks =
    [](kt::var<T, n> spot, kt::var<T, n> strike, kt::var<T, n> rate, kt::var<T, n> volatility, kt::var<T, n> time) {
      const auto deviation = volatility * kt::sqrt(time);
      const auto d = (kt::log(spot / strike) + (rate + kt::sqr(volatility) / 2) * time) / deviation;
      const auto price = spot * kt::normal_cdf(d) - strike * kt::exp(-rate * time) * kt::normal_cdf(d - deviation);
      const auto cost = kt::sum(price);
      const auto delta = kt::grad(cost, spot);
      return kt::outputs(price, delta, kt::grad(kt::sum(delta), spot), kt::grad(cost, volatility), kt::grad(cost, time),
                         kt::grad(cost, rate));
    };

/// The same by the formulas of a textbook, each common part computed once; `V` is a number or a SIMD batch. Writes the
/// six results in that order.
template <class V, class Write>
void by_hand(const V& spot, const V& strike, const V& rate, const V& volatility, const V& time, const Write& write) {
  using std::erfc, std::exp, std::log, std::sqrt;
  const auto of = [](double number) { return V(static_cast<typename Write::scalar>(number)); };
  const V root = sqrt(time), deviation = volatility * root;
  const V d = (log(spot / strike) + (rate + of(0.5) * volatility * volatility) * time) / deviation;
  const V below = of(0.5) * erfc(d * of(-0.70710678118654752)),
          discounted = strike * exp(-rate * time) * (of(0.5) * erfc((d - deviation) * of(-0.70710678118654752)));
  const V density = of(0.39894228040143268) * exp(of(-0.5) * d * d);
  write(0, spot * below - discounted);
  write(1, below);
  write(2, density / (spot * deviation));
  write(3, spot * density * root);
  write(4, of(0.5) * spot * density * volatility / root + rate * discounted);
  write(5, time * discounted);
}

template <class T>
struct portfolio {
  std::vector<kt::tensor<T, 1>> of, to;  // spot, strike, rate, volatility, time; what comes of it

  portfolio() {
    constexpr T low[inputs] = {80, 80, T(0.01), T(0.1), T(0.25)}, high[inputs] = {120, 120, T(0.05), T(0.5), 2};
    std::mt19937 random{42};
    for (std::size_t i = 0; i < inputs; ++i) {
      std::uniform_real_distribution<T> uniform(low[i], high[i]);
      for (T& value : of.emplace_back(kt::tensor<T, 1>({options}))) value = uniform(random);
    }
    for (std::size_t i = 0; i < results; ++i) to.emplace_back(kt::tensor<T, 1>({options}));
  }
};

/// Where one number is written, or a batch of them.
template <class T>
struct stored {
  using scalar = T;
  std::vector<kt::tensor<T, 1>>& to;
  std::int64_t at;
  void operator()(std::size_t result, T value) const { to[result](at) = value; }
  template <class A>
  void operator()(std::size_t result, const xsimd::batch<T, A>& value) const {
    value.store_unaligned(to[result].data() + at);
  }
};
template <class T>
void by_numbers(portfolio<T>& all, std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i)
    by_hand<T>(all.of[0](i), all.of[1](i), all.of[2](i), all.of[3](i), all.of[4](i), stored<T>{all.to, i});
}
template <class T>
void by_batches(portfolio<T>& all, std::int64_t begin, std::int64_t end) {
  using batch = xsimd::batch<T>;
  const auto lanes = static_cast<std::int64_t>(batch::size);
  std::int64_t i = begin;
  const auto load = [&](std::size_t input) { return batch::load_unaligned(all.of[input].data() + i); };
  for (; i + lanes <= end; i += lanes)
    by_hand<batch>(load(0), load(1), load(2), load(3), load(4), stored<T>{all.to, i});
  by_numbers(all, i, end);
}

#ifdef KROTON_BENCH_EIGEN
/// Arrays of Eigen that are short enough to stay in the first cache.
template <class T>
void by_arrays(portfolio<T>& all, std::int64_t begin, std::int64_t end) {
  constexpr std::int64_t most = 256;
  using array = Eigen::Array<T, Eigen::Dynamic, 1, 0, most, 1>;
  for (std::int64_t i = begin; i < end; i += most) {
    const std::int64_t count = std::min(most, end - i);
    const auto map = [&](kt::tensor<T, 1>& x) { return Eigen::Map<array>(x.data() + i, count); };
    const array spot = map(all.of[0]), strike = map(all.of[1]), rate = map(all.of[2]), volatility = map(all.of[3]),
                time = map(all.of[4]);
    const T half = T(0.5), slope = T(-0.70710678118654752);
    const array root = time.sqrt(), deviation = volatility * root;
    const array d = ((spot / strike).log() + (rate + half * volatility.square()) * time) / deviation;
    const array below = half * (slope * d).erfc(),
                discounted = strike * (-rate * time).exp() * (half * (slope * (d - deviation)).erfc());
    const array density = T(0.39894228040143268) * (-half * d.square()).exp();
    map(all.to[0]) = spot * below - discounted;
    map(all.to[1]) = below;
    map(all.to[2]) = density / (spot * deviation);
    map(all.to[3]) = spot * density * root;
    map(all.to[4]) = half * spot * density * volatility / root + rate * discounted;
    map(all.to[5]) = time * discounted;
  }
}
#endif

template <class T>
auto compiled(portfolio<T>& all, auto function) {
  return [&all, f = std::move(function)]() mutable {
    f.into(std::tie(all.to[0], all.to[1], all.to[2], all.to[3], all.to[4], all.to[5]), all.of[0], all.of[1], all.of[2],
           all.of[3], all.of[4]);
  };
}

/// Ends the program if two contestants do not compute the same.
template <class T>
void require_same(portfolio<T>& all, auto first, auto second) {
  first();
  const auto expected = all.to;
  second();
  for (std::size_t r = 0; r < results; ++r)
    for (std::int64_t i = 0; i < options; ++i)
      if (!(std::abs(all.to[r](i) - expected[r](i)) <= std::sqrt(std::numeric_limits<T>::epsilon()) * 100)) {
        std::fprintf(stderr, "result %zu of option %td differs: %g and %g\n", r, static_cast<std::ptrdiff_t>(i),
                     static_cast<double>(all.to[r](i)), static_cast<double>(expected[r](i)));
        std::exit(1);
      }
}

template <class T>
void add_pricing(bench::suite& suite, portfolio<T>& all, const char* type, int threads) {
  const auto where = kt::context::host(threads);
  const auto in_parts = [&all, threads](auto part) {
    return [&all, threads, part] {
      bench::in_parts(options, threads, [&](std::int64_t begin, std::int64_t end) { part(all, begin, end); });
    };
  };
  const auto numbers = in_parts(by_numbers<T>), batches = in_parts(by_batches<T>);
  require_same(all, numbers, batches);
  require_same(all, numbers, compiled(all, kt::function(greeks<T>, where)));
  bench::group& g = suite.add_group(std::string("Black-Scholes and five greeks, 2^20 ") + type, threads,
                                    bench::bytes(static_cast<double>(options) * sizeof(T) * (inputs + results)),
                                    "by hand over xsimd", bench::at_most(1.15));
  g.add("by hand over xsimd", batches);
  g.add("kroton", compiled(all, kt::function(greeks<T>, where)));
  g.add("kroton, reciprocals", compiled(all, kt::function<kt::policy::reciprocals>(greeks<T>, where)));
  g.add("plain loop", numbers);
#ifdef KROTON_BENCH_EIGEN
  const auto arrays = in_parts(by_arrays<T>);
  require_same(all, numbers, arrays);
  g.add("Eigen", arrays);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  bench::suite all("Option prices", argc, argv);
  portfolio<float> floats;
  portfolio<double> doubles;
  for (const int threads : bench::thread_counts()) {
    add_pricing(all, floats, "floats", threads);
    add_pricing(all, doubles, "doubles", threads);
  }
  return all.run(argc, argv);
}
