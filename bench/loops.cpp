// What loops take beside the same written by hand: a recurrent network beside its products alone, many steps of a
// stencil, and a derivative in one direction beside the value. bench/loops_peers measures the network in frameworks.
#include <kroton/kroton.hpp>

#include "table.hpp"

#include <cblas.h>

#include <cmath>
#include <random>

namespace kt = kroton;

namespace {

inline constexpr struct n : kt::dim<n> {} n;

template <class T>
void fill(T& values, float most, unsigned seed) {
  std::mt19937 bits{seed};
  std::uniform_real_distribution<float> uniform(-most, most);
  for (auto& each : values) each = uniform(bits);
}

// ---- a recurrent network: 50 steps of 32 rows, 64 inputs, 128 values; forward, and the gradients of its weights ----

constexpr int length = 50, rows = 32, width = 128, inputs = 64;
constexpr double product_flops = 2.0 * length * rows * width * (2.0 * inputs + 3.0 * width);

auto network_on(const kt::context& where) {
  return kt::function(
      [](kt::var<float, n, rows, inputs> x, kt::var<float, inputs, width> W, kt::var<float, width, width> U,
         kt::var<float, width> b, kt::var<float, rows, width> begin) {
        const auto h =
            kt::scan([&](auto row, auto before) { return kt::tanh(kt::dot(row, W) + kt::dot(before, U) + b); },
                     kt::sequences(x), kt::carried(begin));
        const auto cost = kt::sum(kt::sqr(h.last));
        return kt::outputs(cost, kt::grad(cost, W), kt::grad(cost, U), kt::grad(cost, b));
      },
      where);
}

/// The products of the network as single calls of a CBLAS, without anything between them.
struct products_alone {
  std::vector<float> a, d, h, by_W, by_U;
  products_alone() : a(length * rows * width), d(a), h(a), by_W(inputs * width), by_U(width * width) {}
  void run(const float* x, const float* W, const float* U) {
    constexpr int all = length * rows, row = rows * width;
    const auto no = CblasNoTrans, turned = CblasTrans;
    cblas_sgemm(CblasRowMajor, no, no, all, width, inputs, 1, x, inputs, W, width, 0, a.data(), width);
    for (int t = 0; t < length; ++t)
      cblas_sgemm(CblasRowMajor, no, no, rows, width, width, 1, h.data() + t * row, width, U, width, 1,
                  a.data() + t * row, width);
    for (int t = 0; t < length; ++t)
      cblas_sgemm(CblasRowMajor, no, turned, rows, width, width, 1, a.data() + t * row, width, U, width, 0,
                  d.data() + t * row, width);
    cblas_sgemm(CblasRowMajor, turned, no, inputs, width, all, 1, x, inputs, d.data(), width, 0, by_W.data(), width);
    cblas_sgemm(CblasRowMajor, turned, no, width, width, all, 1, h.data(), width, d.data(), width, 0, by_U.data(),
                width);
  }
};

void add_network(bench::suite& all, int threads) {
  kt::tensor<float, 3> x({length, rows, inputs});
  kt::tensor<float, 2> W({inputs, width}), U({width, width}), begin({rows, width});
  kt::tensor<float, 1> b({width});
  fill(x, 1, 1);
  fill(W, 0.1F, 2);
  fill(U, 0.1F, 3);
  fill(b, 0.1F, 4);
  fill(begin, 0.1F, 5);
  bench::group& g = all.add_group("tanh network, 50 steps of 32 x 128, value and gradients", threads,
                                  bench::flops(product_flops), "products alone", bench::at_most(1.15));
  g.add("products alone", [=, alone = products_alone()]() mutable { alone.run(x.data(), W.data(), U.data()); });
  g.add("kroton",
        [=, f = network_on(kt::context::host(threads))]() mutable { benchmark::DoNotOptimize(f(x, W, U, b, begin)); });
}

// ---- the heat equation on a line: 1,000 steps of one stencil ----

constexpr int places = 4096, times = 1000;

auto heat_on(const kt::context& where) {
  return kt::function(
      [](kt::var<float, places> begin, kt::var<float> k) {
        return kt::scan(
                   [&](auto u) {
                     const auto middle = u[kt::rows<1, places - 1>()], left = u[kt::rows<0, places - 2>()],
                                right = u[kt::rows<2, places>()];
                     return kt::pad<1, 1>(middle + k * (left - 2 * middle + right), kt::axis<0>);
                   },
                   kt::carried(begin), kt::steps<times>())
            .last;
      },
      where);
}
void heat_by_hand(const float* begin, float k, float* one, float* other) {
  std::copy_n(begin, places, one);
  for (int t = 0; t < times; ++t) {
    other[0] = other[places - 1] = 0;
    for (int i = 1; i + 1 < places; ++i) other[i] = one[i] + k * (one[i - 1] - 2 * one[i] + one[i + 1]);
    std::swap(one, other);
  }
}

void add_heat(bench::suite& all) {
  kt::tensor<float, 1> begin({places});
  fill(begin, 1, 1);
  bench::group& g = all.add_group("heat equation, 1,000 steps of 4,096 floats", 1, bench::bytes(8.0 * places * times),
                                  "by hand", bench::at_most(1.1));
  g.add("by hand", [=, one = std::vector<float>(places), other = std::vector<float>(places)]() mutable {
    heat_by_hand(begin.data(), 0.2F, one.data(), other.data());
  });
  g.add("kroton", [=, f = heat_on(kt::context::host(1)), z = kt::tensor<float, 1>({places})]() mutable {
    f.into(z, begin, 0.2F);
  });
}

// ---- three layers, and their derivative in one direction of all weights ----

constexpr int images = 256, wide = 512;

constexpr auto layers(const auto& x, const auto& A, const auto& B, const auto& C) {
  return kt::dot(kt::tanh(kt::dot(kt::tanh(kt::dot(x, A)), B)), C);
}
auto layers_on(const kt::context& where) {
  return kt::function([](kt::var<float, images, wide> x, kt::var<float, wide, wide> A, kt::var<float, wide, wide> B,
                         kt::var<float, wide, wide> C) { return layers(x, A, B, C); },
                      where);
}
auto direction_on(const kt::context& where) {
  return kt::function(
      [](kt::var<float, images, wide> x, kt::var<float, wide, wide> A, kt::var<float, wide, wide> B,
         kt::var<float, wide, wide> C, kt::var<float, images, wide> v) {
        const auto y = layers(x, A, B, C);
        return kt::outputs(y, kt::jvp(y, x, v));
      },
      where);
}

void add_direction(bench::suite& all, int threads) {
  kt::tensor<float, 2> x({images, wide}), v({images, wide}), A({wide, wide}), B({wide, wide}), C({wide, wide});
  for (auto* each : {&x, &v}) fill(*each, 1, 1);
  for (auto* each : {&A, &B, &C}) fill(*each, 0.1F, 2);
  const auto host = kt::context::host(threads);
  // six products instead of three
  bench::group& g = all.add_group("jvp of three layers of 512, 256 rows", threads,
                                  bench::flops(6 * 2.0 * images * wide * wide), "twice the value", bench::at_most(1.2));
  g.add("twice the value", [=, f = layers_on(host), z = kt::tensor<float, 2>({images, wide})]() mutable {
    f.into(z, x, A, B, C);
    f.into(z, x, A, B, C);
  });
  g.add("kroton", [=, f = direction_on(host), y = kt::tensor<float, 2>({images, wide}),
                   z = kt::tensor<float, 2>({images, wide})]() mutable { f.into(std::tie(y, z), x, A, B, C, v); });
}

}  // namespace

int main(int argc, char** argv) {
  bench::suite all("Loops and directions", argc, argv);
  for (int threads : bench::thread_counts()) {
    add_network(all, threads);
    add_direction(all, threads);
  }
  add_heat(all);
  return all.run(argc, argv);
}
