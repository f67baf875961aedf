// expect: kroton: expressions do not change; x = x + y makes a new one
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct n : kt::dim<n> {} n;

auto f = kt::function([](kt::var<float, n> x) {
  auto y = x * 2;
  y += 1;  // <- here
  return y;
});
