// Values on a device at which gelu, its approximation and their gradients overflow or vanish, against the interpreter.
// alone: its kernels are as many as one file should have.
#include "device.hpp"

using namespace test;

namespace {

constexpr struct n : kt::dim<n> {} n;

TEST_CASE("device: extreme values of gelu") {
  kt::tensor<float, 1> x({12}, {0.0F, -0.0F, INFINITY, -INFINITY, NAN, 1e30F, -1e30F, 1e-40F, 800, -800, 88, -104});
  check(
      [](kt::var<float, n> a) {
        return kt::outputs(kt::nn::gelu(a), kt::nn::gelu_tanh(a), kt::grad(kt::sum(kt::nn::gelu(a)), a),
                           kt::grad(kt::sum(kt::nn::gelu_tanh(a)), a));
      },
      x);
}

}  // namespace
