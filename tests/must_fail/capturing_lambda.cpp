// expect: kroton: kt::function takes a lambda without captures
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

void f(float rate) {
  auto scaled = kt::function([rate](kt::var<float, batch> x) { return rate * x; });  // <- here
  kt::tensor<float, 1> y = scaled(std::vector<float>{1, 2});
}
