// Kernels that memory should limit, against copying and reading the same memory.
#include <kroton/kroton.hpp>

#include "table.hpp"

#ifdef KROTON_BENCH_EIGEN
#include <unsupported/Eigen/SpecialFunctions>
#include <Eigen/Core>
#endif

#include <cmath>
#include <cstring>
#include <random>

namespace kt = kroton;

namespace {

constexpr std::int64_t elements = 1 << 24;
constexpr std::int64_t rows = 4096, columns = 1024;
constexpr std::int64_t tall = elements / columns;

struct maps : kt::model {
  kt::shared<float, elements> out{this, "out"};

  constexpr auto fused(kt::var<float, elements> x) const {
    return kt::updates(kt::update(out, kt::relu(1.5f * x + 0.25f) * kt::exp(-x)));
  }
};

struct row_programs : kt::model {
  kt::shared<float, rows, columns> out{this, "out"};
  kt::shared<float, columns> gain{this, "gain", kt::init::ones};
  kt::shared<float, columns> bias{this, "bias"};

  constexpr auto softmax(kt::var<float, rows, columns> x) const {
    return kt::updates(kt::update(out, kt::nn::softmax(x)));
  }
  constexpr auto layer_norm_gelu(kt::var<float, rows, columns> x) const {
    auto centred = x - kt::mean(x, kt::axis<1>, kt::keep_dims);
    auto scale = 1 / kt::sqrt(kt::mean(kt::sqr(centred), kt::axis<1>, kt::keep_dims) + 1e-5f);
    auto z = centred * scale * gain + bias;
    return kt::updates(kt::update(out, kt::nn::gelu(z)));
  }
};

struct reductions : kt::model {
  constexpr auto column_sum(kt::var<float, tall, columns> x) const { return kt::sum(x, kt::axis<0>); }
  constexpr auto mean_of_squares(kt::var<float, elements> x) const { return kt::mean(kt::sqr(x)); }
};

/// The sum as fast as memory can be read: independent accumulators that the compiler keeps in vectors.
float sum(const float* x, std::int64_t count) {
  constexpr int lanes = 128;
  float partial[lanes] = {};
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (int l = 0; l < lanes; ++l) partial[l] += x[i + l];
  float total = 0;
  for (; i < count; ++i) total += x[i];
  for (float p : partial) total += p;
  return total;
}

/// Calls `body(begin, end)` for the parts, and adds what it returns.
template <class Body>
float sum_of_parts(std::int64_t count, int threads, const Body& body) {
  std::vector<float> partial(static_cast<std::size_t>(threads) * 16);  // a cache line each
  bench::in_parts(threads, threads, [&](std::int64_t part, std::int64_t) {
    partial[static_cast<std::size_t>(part) * 16] = body(count * part / threads, count * (part + 1) / threads);
  });
  float total = 0;
  for (float p : partial) total += p;
  return total;
}

auto copy(const float* x, float* y, std::int64_t count, int threads) {
  return [=] {
    bench::in_parts(count, threads, [=](std::int64_t begin, std::int64_t end) {
      std::memcpy(y + begin, x + begin, static_cast<std::size_t>(end - begin) * sizeof(float));
    });
  };
}
auto read(const float* x, int threads) {
  return [=] {
    benchmark::DoNotOptimize(sum_of_parts(
        elements, threads, [=](std::int64_t begin, std::int64_t end) { return sum(x + begin, end - begin); }));
  };
}

// All contestants of a group write to the same memory: how fast it is differs from one allocation to another.

void add_map(bench::suite& all, const float* x, int threads, kt::session<maps>& session) {
  float* y = session.values<&maps::out>().data();
  bench::group& g = all.add_group("relu(a*x+b)*exp(-x), 2^24 floats", threads, bench::bytes(8.0 * elements), "memcpy",
                                  bench::at_least(0.9));
  g.add("memcpy", copy(x, y, elements, threads));
  g.add("kroton", [x, f = session.compile<&maps::fused>()]() mutable { f(kt::view(x, {elements})); });
  g.add("plain loop", [=] {
    bench::in_parts(elements, threads, [=](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) y[i] = std::max(1.5f * x[i] + 0.25f, 0.0f) * std::exp(-x[i]);
    });
  });
#ifdef KROTON_BENCH_EIGEN
  g.add("Eigen", [=] {
    bench::in_parts(elements, threads, [=](std::int64_t begin, std::int64_t end) {
      const Eigen::Map<const Eigen::ArrayXf> from(x + begin, end - begin);
      Eigen::Map<Eigen::ArrayXf>(y + begin, end - begin) = (1.5f * from + 0.25f).max(0.0f) * (-from).exp();
    });
  });
#endif
}

/// Adds a contestant that computes rows of y from rows of x, one by one.
template <class Row>
void add_by_rows(bench::group& g, const char* name, const float* x, float* y, int threads, Row row) {
  g.add(name, [=] {
    bench::in_parts(rows, threads, [=](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) row(x + r * columns, y + r * columns);
    });
  });
}

void add_softmax(bench::suite& all, const float* x, int threads, kt::session<row_programs>& session) {
  float* y = session.values<&row_programs::out>().data();
  bench::group& g = all.add_group("softmax of rows, 4096x1024 floats", threads, bench::bytes(8.0 * rows * columns),
                                  "memcpy", bench::at_least(0.6));
  g.add("memcpy", copy(x, y, rows * columns, threads));
  g.add("kroton", [x, f = session.compile<&row_programs::softmax>()]() mutable { f(kt::view(x, {rows, columns})); });
  add_by_rows(g, "plain loop", x, y, threads, [](const float* from, float* to) {
    float largest = from[0], total = 0;
    for (std::int64_t i = 1; i < columns; ++i) largest = std::max(largest, from[i]);
    for (std::int64_t i = 0; i < columns; ++i) total += to[i] = std::exp(from[i] - largest);
    for (std::int64_t i = 0; i < columns; ++i) to[i] /= total;
  });
#ifdef KROTON_BENCH_EIGEN
  add_by_rows(g, "Eigen", x, y, threads, [](const float* from, float* to) {
    const Eigen::Map<const Eigen::ArrayXf> in(from, columns);
    Eigen::Map<Eigen::ArrayXf> out(to, columns);
    out = (in - in.maxCoeff()).exp();
    out /= out.sum();
  });
#endif
}

void add_layer_norm(bench::suite& all, const float* x, int threads, kt::session<row_programs>& session) {
  float* y = session.values<&row_programs::out>().data();
  static const std::vector<float> gain(columns, 1.0f), bias(columns, 0.0f);
  bench::group& g = all.add_group("layer norm and gelu (erf) of rows, 4096x1024 floats", threads,
                                  bench::bytes(8.0 * rows * columns), "memcpy", bench::at_least(0.6));
  g.add("memcpy", copy(x, y, rows * columns, threads));
  g.add("kroton", [x, f = session.compile<&row_programs::layer_norm_gelu>()]() mutable {
    f(kt::view(x, {rows, columns}));
  });
  add_by_rows(g, "plain loop", x, y, threads, [](const float* from, float* to) {
    float mean = 0, variance = 0;
    for (std::int64_t i = 0; i < columns; ++i) mean += from[i];
    mean /= static_cast<float>(columns);
    for (std::int64_t i = 0; i < columns; ++i) variance += (from[i] - mean) * (from[i] - mean);
    const float scale = 1 / std::sqrt(variance / static_cast<float>(columns) + 1e-5f);
    for (std::int64_t i = 0; i < columns; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const float z = (from[i] - mean) * scale * gain[at] + bias[at];
      to[i] = 0.5f * z * (1 + std::erf(z * 0.70710678f));
    }
  });
#ifdef KROTON_BENCH_EIGEN
  add_by_rows(g, "Eigen", x, y, threads, [](const float* from, float* to) {
    const Eigen::Map<const Eigen::ArrayXf> in(from, columns), gains(gain.data(), columns), biases(bias.data(), columns);
    Eigen::Map<Eigen::ArrayXf> out(to, columns);
    const float mean = in.mean();
    const float scale = 1 / std::sqrt((in - mean).square().mean() + 1e-5f);
    out = (in - mean) * scale * gains + biases;
    out = 0.5f * out * (1 + (out * 0.70710678f).erf());
  });
#endif
}

/// What the row programs spend their time on: functions of as many elements, of one row that stays in the first cache.
void add_row_parts(bench::suite& all, const float* x, kt::session<row_programs>& session) {
  float* y = session.values<&row_programs::out>().data();
  using pack = kt::simd::pack<float, kt::simd::lanes<float>>;
  bench::group& g = all.add_group("functions of one row, 4096 times 1024 floats", 1, bench::bytes(8.0 * rows * columns),
                                  "memcpy of 4096x1024");
  g.add("memcpy of 4096x1024", copy(x, y, rows * columns, 1));
  const auto add = [&](const char* name, auto function) {
    g.add(name, [=] {
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t i = 0; i < columns; i += pack::size)
          kt::simd::store(y + i, function(kt::simd::load<pack>(x + i)));
        benchmark::ClobberMemory();
      }
    });
  };
  add("copy", [](const pack& v) { return v; });
  add("quotient", [](const pack& v) { return v / kt::simd::broadcast<pack>(1.25f); });
  add("exp", [](const pack& v) { return kt::simd::exp(v); });
  add("erf", [](const pack& v) { return kt::simd::erf(v); });
  add("erfc", [](const pack& v) { return kt::simd::erfc(v); });
  add("log_erfc", [](const pack& v) { return kt::simd::log_erfc(v); });
  add("normal_cdf", [](const pack& v) { return kt::simd::normal_cdf(v); });
  add("gelu", [](const pack& v) { return kt::simd::gelu(v); });
  add("gelu_derivative", [](const pack& v) { return kt::simd::gelu_derivative(v); });
#ifdef KROTON_BENCH_EIGEN
  g.add("Eigen's gelu", [=] {
    for (std::int64_t r = 0; r < rows; ++r) {
      const Eigen::Map<const Eigen::ArrayXf> in(x, columns);
      Eigen::Map<Eigen::ArrayXf>(y, columns) = 0.5f * in * (1 + (in * 0.70710678f).erf());
      benchmark::ClobberMemory();
    }
  });
#endif
}

void add_column_sum(bench::suite& all, const float* x, int threads, kt::session<reductions>& session) {
  bench::group& g = all.add_group("sum of columns, 16384x1024 floats", threads, bench::bytes(4.0 * elements), "read",
                                  bench::at_least(0.85));
  g.add("read", read(x, threads));
  g.add("kroton", [x, f = session.compile<&reductions::column_sum>()]() mutable {
    benchmark::DoNotOptimize(f(kt::view(x, {tall, columns})));
  });
  g.add("plain loop", [=] {
    float sums[columns];
    bench::in_parts(columns, threads, [=, &sums](std::int64_t begin, std::int64_t end) {
      for (std::int64_t j = begin; j < end; ++j) sums[j] = 0;
      for (std::int64_t i = 0; i < tall; ++i)
        for (std::int64_t j = begin; j < end; ++j) sums[j] += x[i * columns + j];
    });
    benchmark::DoNotOptimize(sums);
  });
#ifdef KROTON_BENCH_EIGEN
  g.add("Eigen", [=] {
    using matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Eigen::RowVectorXf sums(columns);
    bench::in_parts(columns, threads, [=, &sums](std::int64_t begin, std::int64_t end) {
      const Eigen::Map<const matrix, 0, Eigen::OuterStride<>> from(x + begin, tall, end - begin,
                                                                   Eigen::OuterStride<>(columns));
      sums.segment(begin, end - begin) = from.colwise().sum();
    });
    benchmark::DoNotOptimize(sums.data());
  });
#endif
}

void add_mean_of_squares(bench::suite& all, const float* x, int threads, kt::session<reductions>& session) {
  bench::group& g = all.add_group("mean of squares, 2^24 floats", threads, bench::bytes(4.0 * elements), "read",
                                  bench::at_least(0.85));
  g.add("read", read(x, threads));
  g.add("kroton", [x, f = session.compile<&reductions::mean_of_squares>()]() mutable {
    benchmark::DoNotOptimize(f(kt::view(x, {elements})));
  });
  g.add("plain loop", [=] {
    benchmark::DoNotOptimize(sum_of_parts(elements, threads,
                                          [=](std::int64_t begin, std::int64_t end) {
                                            float total = 0;
                                            for (std::int64_t i = begin; i < end; ++i) total += x[i] * x[i];
                                            return total;
                                          }) /
                             static_cast<float>(elements));
  });
#ifdef KROTON_BENCH_EIGEN
  g.add("Eigen", [=] {
    benchmark::DoNotOptimize(
        sum_of_parts(elements, threads,
                     [=](std::int64_t begin, std::int64_t end) {
                       return Eigen::Map<const Eigen::ArrayXf>(x + begin, end - begin).square().sum();
                     }) /
        static_cast<float>(elements));
  });
#endif
}

}  // namespace

int main(int argc, char** argv) {
  kt::tensor<float, 1> x({elements});
  std::mt19937 random{42};
  std::uniform_real_distribution<float> uniform(-2, 2);
  for (float& value : x) value = uniform(random);

  bench::suite all("Bandwidth: bytes that must be read and written, by the time of a call", argc, argv);
  std::deque<kt::session<maps>> map_sessions;
  std::deque<kt::session<row_programs>> row_sessions;
  std::deque<kt::session<reductions>> reduction_sessions;
  for (int threads : bench::thread_counts()) {
    const auto host = kt::context::host(threads);
    add_map(all, x.data(), threads, map_sessions.emplace_back(host));
    auto& row_session = row_sessions.emplace_back(host);
    add_softmax(all, x.data(), threads, row_session);
    add_layer_norm(all, x.data(), threads, row_session);
    auto& reduction_session = reduction_sessions.emplace_back(host);
    add_column_sum(all, x.data(), threads, reduction_session);
    add_mean_of_squares(all, x.data(), threads, reduction_session);
  }
  add_row_parts(all, x.data(), row_sessions.front());
  return all.run(argc, argv);
}
