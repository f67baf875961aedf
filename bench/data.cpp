// Operations that move and order data, on 10^7 floats, beside the algorithms of the standard library, which libstdc++
// runs on several threads, and plain loops. bench/data_peers measures NumPy and PyTorch.
#include <kroton/kroton.hpp>

#include "table.hpp"

#include <numeric>
#include <parallel/algorithm>
#include <parallel/numeric>
#include <random>

namespace kt = kroton;

namespace {

constexpr std::int64_t many = 10'000'000, rows = 1'000'000, found = 100;
inline constexpr struct n : kt::dim<n> {} n;

struct data {
  kt::tensor<float, 1> x{{many}}, z{{many}}, table{{rows}}, sums{{rows}};
  kt::tensor<std::int64_t, 1> at{{many}};
  data() {
    std::mt19937_64 bits{7};
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::uniform_int_distribution<std::int64_t> row(0, rows - 1);
    for (float& each : x) each = uniform(bits);
    for (float& each : table) each = uniform(bits);
    for (std::int64_t& each : at) each = row(bits);
  }
};

void add_sorting(bench::suite& all, data& d, int threads) {
  const auto host = kt::context::host(threads);
  bench::group& sort =
      all.add_group("sort 10^7 floats", threads, bench::bytes(8.0 * many), "standard library", bench::at_most(1.3));
  sort.add("standard library", [&d] {
    std::copy(d.x.begin(), d.x.end(), d.z.begin());
    __gnu_parallel::sort(d.z.begin(), d.z.end());
  });
  sort.add("kroton", [&d, f = kt::function([](kt::var<float, n> x) { return kt::sort(x); }, host)]() mutable {
    f.into(d.z, d.x);
  });
  bench::group& top = all.add_group("the 100 largest of 10^7 floats", threads, bench::bytes(4.0 * many),
                                    "standard library", bench::at_most(1.3));
  top.add("standard library", [&d, best = std::vector<float>(found)]() mutable {
    __gnu_parallel::partial_sort(d.z.begin(), d.z.begin() + found, d.z.end(), std::greater<>());
    std::copy(d.x.begin(), d.x.end(), d.z.begin());
  });
  top.add("kroton", [&d, f = kt::function([](kt::var<float, n> x) { return kt::topk<found>(x).values; },
                                          host)]() mutable { benchmark::DoNotOptimize(f(d.x)); });
}

void add_moving(bench::suite& all, data& d, int threads) {
  const auto host = kt::context::host(threads);
  bench::group& sum = all.add_group("cumsum of 10^7 floats", threads, bench::bytes(8.0 * many), "standard library",
                                    bench::at_most(1.3));
  sum.add("standard library", [&d] { __gnu_parallel::partial_sum(d.x.data(), d.x.data() + many, d.z.data()); });
  sum.add("kroton", [&d, f = kt::function([](kt::var<float, n> x) { return kt::cumsum(x); }, host)]() mutable {
    f.into(d.z, d.x);
  });
  bench::group& gather =
      all.add_group("gather 10^7 of 10^6 floats", threads, bench::bytes(12.0 * many), "loop", bench::at_most(1.3));
  gather.add("loop", [&d, threads] {
    bench::in_parts(many, threads, [&](std::int64_t begin, std::int64_t end) {
      const float* from = d.table.data();
      const std::int64_t* at = d.at.data();
      for (std::int64_t i = begin; i < end; ++i) d.z.data()[i] = from[at[i]];
    });
  });
  gather.add("kroton",
             [&d, f = kt::function([](kt::var<float, rows> x, kt::var<std::int64_t, n> at) { return kt::take(x, at); },
                                   host)]() mutable { f.into(d.z, d.table, d.at); });
  bench::group& scatter =
      all.add_group("scatter-add 10^7 to 10^6 floats", threads, bench::bytes(12.0 * many), "loop", bench::at_most(1.3));
  scatter.add("loop", [&d] {
    std::copy(d.table.begin(), d.table.end(), d.sums.begin());
    for (std::int64_t i = 0; i < many; ++i) d.sums.data()[d.at.data()[i]] += d.x.data()[i];
  });
  scatter.add("kroton", [&d, f = kt::function([](kt::var<float, rows> y, kt::var<std::int64_t, n> at,
                                                 kt::var<float, n> x) { return kt::inc(y, at, x); },
                                              host)]() mutable { f.into(d.sums, d.table, d.at, d.x); });
}

}  // namespace

int main(int argc, char** argv) {
  data d;
  bench::suite all("Data: sorting, sums and lookups", argc, argv);
  for (int threads : bench::thread_counts()) {
    add_sorting(all, d, threads);
    add_moving(all, d, threads);
  }
  return all.run(argc, argv);
}
