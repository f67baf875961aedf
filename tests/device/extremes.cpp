// Values on a device at which operations overflow, vanish or have no number, against the interpreter. Ordinary ones are
// in tests/kernel_table. alone: its kernels are as many as one file should have.
#include "device.hpp"

using namespace test;

namespace {

constexpr struct n : kt::dim<n> {} n;
template <class T>
using vector = kt::var<T, n>;

TEST_CASE("device: extreme values") {
  kt::tensor<float, 1> x({12}, {0.0F, -0.0F, INFINITY, -INFINITY, NAN, 1e30F, -1e30F, 1e-40F, 800, -800, 88, -104});
  check(
      [](vector<float> a) {
        return kt::outputs(kt::exp(a), kt::log(a), kt::sigmoid(a), kt::softplus(a), kt::tanh(a), kt::erf(a),
                           kt::erfc(a), kt::sqrt(a));
      },
      x);
  check(
      [](vector<float> a) {
        return kt::outputs(a * 0, a - a, a / a, kt::maximum(a, 0), kt::sign(a), kt::cast<int>(a), kt::relu(a),
                           kt::isnan(a));
      },
      x);
  check([](vector<float> a) { return kt::outputs(kt::sum(a), kt::max(a), kt::argmax(a), kt::log1p(a), kt::expm1(a)); },
        x);
}

}  // namespace
