// Values on a device at which operations overflow, vanish or have no number, against the interpreter. Ordinary ones are
// in tests/kernel_table. alone: its kernels are as many as one file should have.
#include "device.hpp"

#include <cmath>
#include <vector>

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

/// A row is divided by a value of its own, whose reciprocal the threads compute once.
TEST_CASE("device: quotients of rows by a value of the row, down to the last numbers of its type") {
  constexpr float least = 0x1p-149F, small = 0x1p-126F, most = 0x1.fffffep127F;
  const std::vector<float> numbers = {0.0F,  -0.0F,    INFINITY, -INFINITY, NAN,       1,        -3,       1e-40F,
                                      1e38F, -2.5e19F, 3e-20F,   most,      least,     -small,   0x1p-65F, 0x1p65F,
                                      0.1F,  -7e-30F,  1e30F,    255,       0x1p-120F, 0x1p100F, 1 / 3.0F, -1e-44F};
  const auto size = static_cast<std::int64_t>(numbers.size());
  kt::tensor<float, 2> x({size, size}), divisors({size, size});
  for (std::int64_t i = 0; i < size; ++i) {
    divisors(i, 2) = numbers[static_cast<std::size_t>(i)];
    for (std::int64_t j = 0; j < size; ++j) x(i, j) = numbers[static_cast<std::size_t>(j)];
  }
  auto f = kt::function<kt::policy::none, backend>(
      [](kt::var<float, n, 24> a, kt::var<float, n, 24> d) { return a / kt::sum(d, kt::axis<1>, kt::keep_dims); },
      device(0));
  const kt::tensor<float, 2> found = f(x, divisors);
  for (std::int64_t i = 0; i < size; ++i)
    for (std::int64_t j = 0; j < size; ++j) {
      const float d = numbers[static_cast<std::size_t>(i)] + 0, exact = x(i, j) / d, q = found(i, j);
      CAPTURE(x(i, j));
      CAPTURE(d);
      if (std::isnan(exact)) CHECK(std::isnan(q));
      else CHECK((q >= std::nextafter(exact, -INFINITY) && q <= std::nextafter(exact, INFINITY)));
    }
}

}  // namespace
