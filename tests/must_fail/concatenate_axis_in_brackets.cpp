// expect: kroton: concatenate and stack take an axis and then expressions
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct n : kt::dim<n> {} n;

auto f = kt::function([](kt::var<float, n> x) {
  return kt::concatenate<0>(x, x);  // <- here
});
