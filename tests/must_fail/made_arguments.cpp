// expect: kroton: a tensor that is made without operands takes its extents in angle brackets and its value as a number
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct n : kt::dim<n> {} n;

auto f = kt::function([](kt::var<float, n, 3> x) {
  kt::var<float, n, 3> h = kt::zeros<float>(n, 3);  // <- here
  for (int i = 0; i < 3; ++i) h = kt::tanh(h + x);
  return h;
});
