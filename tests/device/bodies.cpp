// Maps as a device runs them, against the interpreter, and kernels of the element types that are not float.
// alone: its kernels are as many as one file should have.
#include "bodies.hpp"

using namespace test;

namespace {

TEST_CASE("device: maps") {
  for (const std::int64_t size : sizes) {
    INFO(size);
    check([](kt::var<float, n> x,
             kt::var<float> a) { return kt::outputs(kt::relu(x * a) * kt::exp(-x), x > 0, kt::cast<int>(x * 10)); },
          around_0<float, 1>({size}, 1), 0.5F);
    check([](kt::var<double, n> x) { return kt::tanh(x) + x; }, around_0<double, 1>({size}, 2));
  }
  for (const std::int64_t size : {0, 1, 5, 64, 131}) {
    INFO(size);
    check(
        [](kt::var<float, n, 7> x, kt::var<float, 7> row, kt::var<float, n, 1> column) {
          return kt::outputs(x * row + column, kt::exp(kt::transpose(x)), x[kt::range(kt::axis<1>, 1, kt::end, 2)] * 2);
        },
        around_0<float, 2>({size, 7}, 3), around_0<float, 1>({7}, 4), around_0<float, 2>({size, 1}, 5));
    check([](kt::var<float, n, 3, m> x) { return kt::permute<2, 0, 1>(x) - 1; }, around_0<float, 3>({size, 3, 10}, 6));
  }
}

TEST_CASE("device: 16-bit floats, integers and truth values") {
  for (const std::int64_t size : {1, 9, 300, 3000}) {
    INFO(size);
    check(
        [](kt::var<kt::half, n, m> x) {
          return kt::outputs(kt::nn::softmax(x), kt::sum(x, kt::axis<0>), kt::cast<double>(x) / 3);
        },
        around_0<kt::half, 2>({4, size}, 14));
    check([](kt::var<kt::bfloat16, n> x) { return kt::outputs(kt::exp(x), kt::max(x)); },
          around_0<kt::bfloat16, 1>({size}, 15));
    check([](kt::var<std::int8_t, n> x) { return kt::outputs(kt::sum(x), x * 3, kt::abs(x), x / 2, kt::mod(x, 3)); },
          around_0<std::int8_t, 1>({size}, 16));
    check([](kt::var<bool, n, m> x) { return kt::outputs(kt::any(x, kt::axis<1>), kt::all(x), !x); },
          around_0<bool, 2>({2, size}, 17));
  }
}

}  // namespace
