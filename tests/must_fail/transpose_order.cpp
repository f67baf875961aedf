// expect: kroton: element types, extents and orders of axes are written in angle brackets
#include <kroton/kroton.hpp>
namespace kt = kroton;

auto f = kt::function([](kt::var<float, 3, 4> x) {
  return kt::transpose<1, 0>(x);  // <- here
});
