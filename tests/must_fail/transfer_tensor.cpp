// expect: kroton: an operand is not an expression
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct dev0 : kt::context_name<dev0> {} dev0;

auto f = kt::function([](kt::var<float, 3> x) {
  return x + kt::transfer<dev0>(1.5f);  // <- here
});
