// expect: kroton: a tensor that is made without operands takes its extents in angle brackets and its value as a number
// says: kt::zeros<float, n, 3>()
#include <kroton/kroton.hpp>
namespace kt = kroton;

auto f = kt::function([](kt::var<float, 3, 4> x) {
  return x + kt::zeros<3, 4>();  // <- here
});
