// expect: kroton: a tensor that is made without operands takes its extents in angle brackets and its value as a number
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct n : kt::dim<n> {} n;

auto f = kt::function([](kt::var<float, n> x) {
  return x + kt::sum(kt::eye(3));  // <- here
});
