// expect: kroton: a tensor that is made without operands has extents that are numbers or named dimensions
#include <kroton/kroton.hpp>
namespace kt = kroton;

auto f = kt::function([](kt::var<float, kt::any> x) {
  return x + kt::zeros<float, kt::any>();  // <- here
});
