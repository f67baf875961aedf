// Kernels of rows as a device runs them, against the interpreter.
// alone: its kernels are as many as one file should have.
#include "bodies.hpp"

using namespace test;

namespace {

TEST_CASE("device: rows") {
  for (const std::int64_t size : sizes) {
    if (size == 0) continue;
    INFO(size);
    const auto x = around_0<float, 2>({3, size}, 7);
    check([](kt::var<float, n, m> x_) { return kt::nn::softmax(x_); }, x);
    check([](kt::var<float, n, m> x_) {
      auto mean = kt::mean(x_, kt::axis<1>, kt::keep_dims);
      auto variance = kt::mean(kt::sqr(x_ - mean), kt::axis<1>, kt::keep_dims);
      return kt::outputs((x_ - mean) / kt::sqrt(variance + 1e-5), mean, kt::argmax(x_, kt::axis<1>), kt::max(x_, kt::axis<1>));
    }, x);
    check([](kt::var<float, n, m, 4> y) { return kt::outputs(kt::sum(y, kt::axis<1, 2>), kt::logsumexp(y, kt::axis<1>), kt::any(y > 1.9, kt::axis<2>)); }, around_0<float, 3>({2, size, 4}, 8));
  }
  check([](kt::var<float, n, m> x) { return kt::outputs(kt::sum(x, kt::axis<1>), kt::prod(x, kt::axis<1>)); }, around_0<float, 2>({5, 0}, 9));
  check([](kt::var<float, n, m> x) { return kt::sum(x, kt::axis<1>); }, around_0<float, 2>({0, 5}, 9));
}

TEST_CASE("device: lines that do not begin where packs do") {
  for (const std::int64_t first : {1, 2, 4}) {
    INFO(first);
    auto numbers = around_0<float, 1>({300004}, 18);
    check([](kt::var<float, n> y, kt::var<int> from) { return kt::outputs(kt::sum(kt::sqr(y[kt::range(kt::axis<0>, from, 300000)])), kt::max(y[kt::range(kt::axis<0>, from, kt::end)])); },
          numbers, static_cast<int>(first));
    for (const std::int64_t columns : {132, 135, 1500, 8196}) {
      INFO(columns);
      const auto x = around_0<float, 2>({70, columns}, 19);
      check([](kt::var<float, n, m> y, kt::var<float, m> z, kt::var<int> from) {
        auto part = y[kt::range(kt::axis<1>, from, kt::end)];
        auto kept = kt::nn::softmax(part) * z[kt::range(kt::axis<0>, from, kt::end)];
        return kt::outputs(kept, kt::sum(part, kt::axis<0>), kt::sum(kt::abs(part) + kt::sqr(part), kt::axis<1>));
      }, x, around_0<float, 1>({columns}, 20), static_cast<int>(first));
    }
  }
}

}  // namespace
