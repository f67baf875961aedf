// Reductions of columns and of everything as a device runs them, against the interpreter.
// alone: its kernels are as many as one file should have.
#include "bodies.hpp"

using namespace test;

namespace {

TEST_CASE("device: columns") {
  for (const std::int64_t lines : {0, 1, 7, 100, 5000})
    for (const std::int64_t columns : {1, 10, 129, 300}) {
      if (lines * columns > 1'000'000) continue;  // which takes seconds with sanitizers
      INFO(lines, " lines of ", columns);
      const auto x = around_0<float, 2>({lines, columns}, 10);
      check(
          [](kt::var<float, n, m> y) {
            return kt::outputs(kt::sum(y * y, kt::axis<0>), kt::sum(kt::exp(y) * 2, kt::axis<0>) + 1);
          },
          x);
      if (lines > 0)
        check(
            [](kt::var<float, n, m> y) {
              return kt::outputs(kt::argmin(y, kt::axis<0>), kt::mean(y, kt::axis<0>), kt::max(y, kt::axis<0>));
            },
            x);
    }
  check([](kt::var<double, n, 40, m> y) { return kt::outputs(kt::sum(y, kt::axis<1>), kt::prod(y, kt::axis<0, 1>)); },
        around_0<double, 3>({3, 40, 5}, 11));
}

TEST_CASE("device: reductions of everything") {
  for (const std::int64_t size : {0, 1, 100, 5000, 300000}) {
    INFO(size);
    const auto x = around_0<float, 1>({size}, 12);
    check(
        [](kt::var<float, n> y) {
          return kt::outputs(kt::sum(kt::abs(y)), kt::sum(kt::sqr(y)) * 0.5, kt::all(y > -3));
        },
        x);
    if (size > 0) check([](kt::var<float, n> y) { return kt::outputs(kt::argmax(y), kt::min(y), kt::mean(y)); }, x);
  }
  check([](kt::var<float, n, m> y) { return kt::outputs(kt::sum(y[kt::cols(1, 5)]), kt::argmin(kt::transpose(y))); },
        around_0<float, 2>({70, 9}, 13));
}

}  // namespace
