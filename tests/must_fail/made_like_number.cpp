// expect: kroton: an operand is not an expression
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct n : kt::dim<n> {} n;

auto f = kt::function([](kt::var<float, n> x) {
  return x + kt::zeros_like(3);  // <- here
});
