// expect: kroton: element types, extents and orders of axes are written in angle brackets: kt::cast<float>(x), kt::reshape<3, 4>(x)
#include <kroton/kroton.hpp>
namespace kt = kroton;

auto f = kt::function([](kt::var<float, 4, 4> x) {
  return kt::reshape(x, {2, 8});  // <- here
});
