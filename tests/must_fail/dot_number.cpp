// expect: kroton: an operand is not an expression
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, 3> x) {
  return kt::dot(2, x);  // <- here
});
