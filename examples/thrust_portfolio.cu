// A portfolio of options by simulation, as a program of Thrust's own kind: paths lie in device vectors, and Thrust
// draws, adds and compares. The payoff of a path and its derivatives, the greeks, are one function of Kroton, which
// finds them.
//
//     nvcc -std=c++20 -O2 -arch=native -Xcompiler -fopenmp -Iinclude examples/thrust_portfolio.cu -lcublasLt
//
// runs on a GPU; with -DON_HOST Thrust uses the cores of the host.
#include <kroton/cuda.hpp>
#ifdef ON_HOST
#include <thrust/system/omp/execution_policy.h>
#include <thrust/system/omp/vector.h>
#else
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/system/cuda/vector.h>
#endif
#include <thrust/functional.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/random.h>
#include <thrust/reduce.h>
#include <thrust/tabulate.h>

#include <cmath>
#include <cstdio>

namespace kt = kroton;

#ifdef ON_HOST
namespace device = thrust::omp;
#else
namespace device = thrust::cuda;
#endif

constexpr int options = 6, paths = 200'000;
constexpr double rate = 0.03, years = 0.5, discount = 0.98511193960306;  // e^(-rate * years)

/// What a path pays, discounted, with its square and its derivatives with respect to the spot and the volatility.
constexpr auto path =
    kt::functor([](kt::var<double> spot, kt::var<double> strike, kt::var<double> volatility, kt::var<double> normal) {
      auto drift = (rate - 0.5 * volatility * volatility) * years;
      auto end = spot * kt::exp(drift + volatility * kt::constexpr_sqrt(years) * normal);
      auto paid = discount * kt::relu(end - strike);
      return kt::outputs(paid, paid * paid, kt::grad(paid, spot), kt::grad(paid, volatility));
    });
/// The price that the simulation estimates, and its derivatives.
struct exact {
  double price, delta, vega;

  exact(double spot, double strike, double volatility) {
    const auto below = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
    const double spread = volatility * std::sqrt(years),
                 d1 = (std::log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / spread;
    price = spot * below(d1) - strike * discount * below(d1 - spread);
    delta = below(d1);
    vega = spot * std::sqrt(years) * std::exp(-0.5 * d1 * d1) / std::sqrt(2 * M_PI);
  }
};

/// The option of a path, and a parameter of it.
struct option_of {
  __host__ __device__ int operator()(int i) const { return i / paths; }
};
struct strike_of {
  __host__ __device__ double operator()(int i) const { return 80.0 + 8 * (i / paths); }
};
struct volatility_of {
  __host__ __device__ double operator()(int i) const { return 0.15 + 0.03 * (i / paths); }
};
struct draw {
  __host__ __device__ double operator()(int i) const {
    thrust::default_random_engine bits(7);
    bits.discard(4 * static_cast<unsigned long long>(i));
    return thrust::random::normal_distribution<double>()(bits);
  }
};

/// Sums over the paths of an option.
struct totals {
  double paid = 0, squares = 0, delta = 0, vega = 0;
};
struct totals_of_path {
  template <class Path>
  __host__ __device__ totals operator()(const Path& each) const {
    const auto [paid, square, delta, vega] = each;
    return {paid, square, delta, vega};
  }
};
struct add {
  __host__ __device__ totals operator()(totals a, const totals& b) const {
    a.paid += b.paid, a.squares += b.squares, a.delta += b.delta, a.vega += b.vega;
    return a;
  }
};

int main() {
  constexpr int all = options * paths;
  device::vector<int> option(all), present(options);
  device::vector<double> spot(all, 100.0), strike(all), volatility(all), normal(all);
  thrust::tabulate(option.begin(), option.end(), option_of());
  thrust::tabulate(strike.begin(), strike.end(), strike_of());
  thrust::tabulate(volatility.begin(), volatility.end(), volatility_of());
  thrust::tabulate(normal.begin(), normal.end(), draw());

  // no array of payoffs or greeks is in memory: each path is computed where it is added
  const auto each = kt::lazy(path, spot, strike, volatility, normal);
  device::vector<totals> sums(options);
  thrust::reduce_by_key(device::par, option.begin(), option.end(),
                        thrust::make_transform_iterator(each.begin(), totals_of_path()), present.begin(), sums.begin(),
                        thrust::equal_to<int>(), add());

  std::printf("strike  volatility     price            exact     delta    exact      vega    exact\n");
  int wrong = 0;
  for (int i = 0; i < options; ++i) {
    const totals sum = sums[static_cast<std::size_t>(i)];
    const double k = strike_of()(i * paths), v = volatility_of()(i * paths);
    const double price = sum.paid / paths, delta = sum.delta / paths, vega = sum.vega / paths;
    const double error = std::sqrt((sum.squares / paths - price * price) / paths);
    const exact known(100.0, k, v);
    std::printf("%6.0f  %10.2f  %8.4f +- %.4f  %8.4f  %8.4f %8.4f  %8.3f %8.3f\n", k, v, price, error, known.price,
                delta, known.delta, vega, known.vega);
    wrong += std::fabs(price - known.price) > 4 * error || std::fabs(delta - known.delta) > 0.01 ||
             std::fabs(vega - known.vega) > 0.02 * known.vega + 0.2;
  }
  if (wrong != 0) std::printf("%d of %d options are off\n", wrong, options);
  return wrong == 0 ? 0 : 1;
}
