// Rows of few elements: the windows of a pooling, and scores of ten classes. Plain loops are what one would write by
// hand.
#include <kroton/kroton.hpp>

#include "table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace kt = kroton;

namespace {

inline constexpr struct images : kt::dim<images> {} images;
inline constexpr struct n : kt::dim<n> {} n;
constexpr std::int64_t batch = 32, channels = 64, size = 24, half = size / 2, rows = 100'000, classes = 10;

struct data {
  kt::tensor<float, 4> x{{batch, channels, size, size}}, back{{batch, channels, size, size}},
      pooled{{batch, channels, half, half}}, gradient{{batch, channels, half, half}};
  kt::tensor<float, 2> scores{{rows, classes}}, softmax{{rows, classes}};
  data() {
    for (auto* each : {&x, &gradient})
      for (std::int64_t i = 0; i < each->size(); ++i) each->data()[i] = static_cast<float>((i * 7919) % 1009) / 1009;
    for (std::int64_t i = 0; i < scores.size(); ++i) scores.data()[i] = static_cast<float>((i * 7919) % 1009) / 100;
  }
  /// Calls `f` with each window, which is its first element, the row below, and its number.
  template <class F>
  void each_window(const F& f) const {
    for (std::int64_t line = 0; line < batch * channels * half; ++line)
      for (std::int64_t i = 0; i < half; ++i)
        f(line * 2 * size + 2 * i, (line * 2 + 1) * size + 2 * i, line * half + i);
  }
};

constexpr auto pool = [](kt::var<float, images, channels, size, size> x) {
  return kt::max(kt::reshape<images, channels, half, 2, half, 2>(x), kt::axis<3, 5>);
};
constexpr auto pool_gradient = [](kt::var<float, images, channels, size, size> x,
                                  kt::var<float, images, channels, half, half> g) {
  return kt::grad(kt::sum(g * kt::max(kt::reshape<images, channels, half, 2, half, 2>(x), kt::axis<3, 5>)), x);
};

void add_pooling(bench::suite& all, data& d, int threads) {
  const auto host = kt::context::host(threads);
  const double elements = static_cast<double>(batch * channels * size * size);
  bench::group& forward = all.add_group("largest of 2x2, 32x64x24x24", threads, bench::bytes(5 * elements),
                                        "plain loop", bench::at_most(2));
  forward.add("plain loop", [&d] {
    const float* const x = d.x.data();
    d.each_window([&](std::int64_t top, std::int64_t low, std::int64_t to) {
      d.pooled.data()[to] = std::max(std::max(x[top], x[top + 1]), std::max(x[low], x[low + 1]));
    });
    benchmark::DoNotOptimize(d.pooled.data());
  });
  forward.add("kroton", [&d, f = kt::function(pool, host)]() mutable { f.into(d.pooled, d.x); });

  bench::group& backward =
      all.add_group("its gradient", threads, bench::bytes(9 * elements), "plain loop", bench::at_most(2));
  backward.add("plain loop", [&d] {
    const float* const x = d.x.data();
    d.each_window([&](std::int64_t top, std::int64_t low, std::int64_t from) {
      const std::int64_t at[] = {top, top + 1, low, low + 1};
      const float largest = std::max(std::max(x[top], x[top + 1]), std::max(x[low], x[low + 1]));
      float equal = 0;
      for (const std::int64_t i : at) equal += x[i] == largest ? 1.0f : 0.0f;
      const float share = d.gradient.data()[from] / equal;
      for (const std::int64_t i : at) d.back.data()[i] = x[i] == largest ? share : 0.0f;
    });
    benchmark::DoNotOptimize(d.back.data());
  });
  backward.add("kroton", [&d, f = kt::function(pool_gradient, host)]() mutable { f.into(d.back, d.x, d.gradient); });
}

void add_scores(bench::suite& all, data& d, int threads) {
  const auto host = kt::context::host(threads);
  bench::group& g = all.add_group("softmax of 100000x10", threads, bench::bytes(8.0 * rows * classes), "plain loop",
                                  bench::at_most(1));
  g.add("plain loop", [&d] {
    for (std::int64_t r = 0; r < rows; ++r) {
      const float* const x = &d.scores(r, 0);
      float* const y = &d.softmax(r, 0);
      float largest = x[0], sum = 0;
      for (std::int64_t i = 1; i < classes; ++i) largest = std::max(largest, x[i]);
      for (std::int64_t i = 0; i < classes; ++i) sum += y[i] = std::exp(x[i] - largest);
      for (std::int64_t i = 0; i < classes; ++i) y[i] /= sum;
    }
    benchmark::DoNotOptimize(d.softmax.data());
  });
  g.add("kroton", [&d, f = kt::function([](kt::var<float, n, classes> x) { return kt::nn::softmax(x); },
                                        host)]() mutable { f.into(d.softmax, d.scores); });
}

}  // namespace

int main(int argc, char** argv) {
  bench::suite all("Short rows", argc, argv);
  data d;
  for (const int threads : {1, 2}) {
    add_pooling(all, d, threads);
    add_scores(all, d, threads);
  }
  return all.run(argc, argv);
}
