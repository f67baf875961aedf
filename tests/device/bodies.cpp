// Every kind of kernel as a device runs it, against the interpreter.
#include "device.hpp"

using namespace test;

namespace {

constexpr struct n : kt::dim<n> {
} n;
constexpr struct m : kt::dim<m> {
} m;

/// Between -2 and 2.
template <class T, int Rank>
kt::tensor<T, Rank> random(const std::array<std::int64_t, static_cast<std::size_t>(Rank)>& extents, unsigned seed) {
  return test::random<T, Rank>(extents, seed, -2, 2);
}

constexpr std::int64_t sizes[] = {0, 1, 3, 31, 130, 1000, 1025, 4100, 9001};

TEST_CASE("device: maps") {
  for (const std::int64_t size : sizes) {
    INFO(size);
    check([](kt::var<float, n> x, kt::var<float> a) { return kt::outputs(kt::relu(x * a) * kt::exp(-x), x > 0, kt::cast<int>(x * 10)); }, random<float, 1>({size}, 1), 0.5F);
    check([](kt::var<double, n> x) { return kt::tanh(x) + x; }, random<double, 1>({size}, 2));
  }
  for (const std::int64_t size : {0, 1, 5, 64, 131}) {
    INFO(size);
    check([](kt::var<float, n, 7> x, kt::var<float, 7> row, kt::var<float, n, 1> column) { return kt::outputs(x * row + column, kt::exp(kt::transpose(x)), x[kt::range(kt::axis<1>, 1, kt::end, 2)] * 2); },
          random<float, 2>({size, 7}, 3), random<float, 1>({7}, 4), random<float, 2>({size, 1}, 5));
    check([](kt::var<float, n, 3, m> x) { return kt::permute<2, 0, 1>(x) - 1; }, random<float, 3>({size, 3, 10}, 6));
  }
}

TEST_CASE("device: rows") {
  for (const std::int64_t size : sizes) {
    if (size == 0) continue;
    INFO(size);
    const auto x = random<float, 2>({3, size}, 7);
    check([](kt::var<float, n, m> x_) { return kt::nn::softmax(x_); }, x);
    check([](kt::var<float, n, m> x_) {
      auto mean = kt::mean(x_, kt::axis<1>, kt::keep_dims);
      auto variance = kt::mean(kt::sqr(x_ - mean), kt::axis<1>, kt::keep_dims);
      return kt::outputs((x_ - mean) / kt::sqrt(variance + 1e-5), mean, kt::argmax(x_, kt::axis<1>), kt::max(x_, kt::axis<1>));
    }, x);
    check([](kt::var<float, n, m, 4> y) { return kt::outputs(kt::sum(y, kt::axis<1, 2>), kt::logsumexp(y, kt::axis<1>), kt::any(y > 1.9, kt::axis<2>)); }, random<float, 3>({2, size, 4}, 8));
  }
  check([](kt::var<float, n, m> x) { return kt::outputs(kt::sum(x, kt::axis<1>), kt::prod(x, kt::axis<1>)); }, random<float, 2>({5, 0}, 9));
  check([](kt::var<float, n, m> x) { return kt::sum(x, kt::axis<1>); }, random<float, 2>({0, 5}, 9));
}

TEST_CASE("device: columns") {
  for (const std::int64_t lines : {0, 1, 7, 100, 5000})
    for (const std::int64_t columns : {1, 10, 129, 300}) {
      INFO(lines, " lines of ", columns);
      const auto x = random<float, 2>({lines, columns}, 10);
      check([](kt::var<float, n, m> y) { return kt::outputs(kt::sum(y * y, kt::axis<0>), kt::sum(kt::exp(y) * 2, kt::axis<0>) + 1); }, x);
      if (lines > 0) check([](kt::var<float, n, m> y) { return kt::outputs(kt::argmin(y, kt::axis<0>), kt::mean(y, kt::axis<0>), kt::max(y, kt::axis<0>)); }, x);
    }
  check([](kt::var<double, n, 40, m> y) { return kt::outputs(kt::sum(y, kt::axis<1>), kt::prod(y, kt::axis<0, 1>)); }, random<double, 3>({3, 40, 5}, 11));
}

TEST_CASE("device: reductions of everything") {
  for (const std::int64_t size : {0, 1, 100, 5000, 300000}) {
    INFO(size);
    const auto x = random<float, 1>({size}, 12);
    check([](kt::var<float, n> y) { return kt::outputs(kt::sum(kt::abs(y)), kt::sum(kt::sqr(y)) * 0.5, kt::all(y > -3)); }, x);
    if (size > 0) check([](kt::var<float, n> y) { return kt::outputs(kt::argmax(y), kt::min(y), kt::mean(y)); }, x);
  }
  check([](kt::var<float, n, m> y) { return kt::outputs(kt::sum(y[kt::cols(1, 5)]), kt::argmin(kt::transpose(y))); }, random<float, 2>({70, 9}, 13));
}

TEST_CASE("device: lines that do not begin where packs do") {
  for (const std::int64_t first : {1, 2, 4}) {
    INFO(first);
    auto numbers = random<float, 1>({300004}, 18);
    check([](kt::var<float, n> y, kt::var<int> from) { return kt::outputs(kt::sum(kt::sqr(y[kt::range(kt::axis<0>, from, 300000)])), kt::max(y[kt::range(kt::axis<0>, from, kt::end)])); },
          numbers, static_cast<int>(first));
    for (const std::int64_t columns : {132, 135, 1500, 8196}) {
      INFO(columns);
      const auto x = random<float, 2>({70, columns}, 19);
      check([](kt::var<float, n, m> y, kt::var<float, m> z, kt::var<int> from) {
        auto part = y[kt::range(kt::axis<1>, from, kt::end)];
        auto kept = kt::nn::softmax(part) * z[kt::range(kt::axis<0>, from, kt::end)];
        return kt::outputs(kept, kt::sum(part, kt::axis<0>), kt::sum(kt::abs(part) + kt::sqr(part), kt::axis<1>));
      }, x, random<float, 1>({columns}, 20), static_cast<int>(first));
    }
  }
}

TEST_CASE("device: 16-bit floats, integers and truth values") {
  for (const std::int64_t size : {1, 9, 300, 3000}) {
    INFO(size);
    check([](kt::var<kt::half, n, m> x) { return kt::outputs(kt::nn::softmax(x), kt::sum(x, kt::axis<0>), kt::cast<double>(x) / 3); }, random<kt::half, 2>({4, size}, 14));
    check([](kt::var<kt::bfloat16, n> x) { return kt::outputs(kt::exp(x), kt::max(x)); }, random<kt::bfloat16, 1>({size}, 15));
    check([](kt::var<std::int8_t, n> x) { return kt::outputs(kt::sum(x), x * 3, kt::abs(x), x / 2, kt::mod(x, 3)); }, random<std::int8_t, 1>({size}, 16));
    check([](kt::var<bool, n, m> x) { return kt::outputs(kt::any(x, kt::axis<1>), kt::all(x), !x); }, random<bool, 2>({2, size}, 17));
  }
}

}  // namespace
