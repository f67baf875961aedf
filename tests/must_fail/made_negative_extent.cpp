// expect: kroton: an extent is a number >= 0
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct n : kt::dim<n> {} n;

auto f = kt::function([](kt::var<float, n> x) {
  return x + kt::zeros<float, -1>();  // <- here
});
