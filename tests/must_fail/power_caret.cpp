// expect: kroton: &&, ||, ! and ^ take tensors of bool; compare, as in x > 0; a power is kt::pow(x, 2) or kt::sqr(x)
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, batch> x) {
  return x ^ 2;  // <- here
});
