// expect: kroton: an operand is not an expression
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

std::vector<float> weights(3);
auto f = kt::function([](kt::var<float, 3> x) {
  return kt::where(weights == x, x, 0);  // <- here
});
