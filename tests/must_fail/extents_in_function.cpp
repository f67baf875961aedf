// expect: kroton: the extents of the operands do not match
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, batch> x, kt::var<float, 3> y) {
  return kt::mean(kt::tanh(x - y) * 2);  // <- here
});
float z = f(std::vector<float>{1, 2}, std::vector<float>{1, 2, 3});
