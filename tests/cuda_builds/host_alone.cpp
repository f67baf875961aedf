// What nvcc compiles without kroton/cuda.hpp runs on the host, and is compiled without a word.
#include <kroton/kroton.hpp>

#include <cmath>

namespace kt = kroton;

inline constexpr struct n : kt::dim<n> {} n;

int main() {
  const kt::tensor<float, 2> x({1, 3}, {1, 2, 3});
  auto f = kt::function([](kt::var<float, n, 3> y) { return kt::sum(kt::exp(kt::nn::softmax(y)) * y, kt::axis<1>); });
  const double expected = std::exp(0.09003057) + 2 * std::exp(0.24472847) + 3 * std::exp(0.66524096);
  return std::fabs(f(x)(0) - expected) < 1e-4 ? 0 : 1;
}
