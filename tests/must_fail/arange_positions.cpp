// expect: kroton: the element type does not hold all positions that kt::arange counts
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct n : kt::dim<n> {} n;

auto f = kt::function([](kt::var<std::int8_t, n> x) {
  return x + kt::arange<std::int8_t, 129>()[0];  // <- here
});
