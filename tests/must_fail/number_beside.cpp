// expect: kroton: a number does not fit uint8, which holds the integers from 0 to 255
// says: told::number<300>
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct n : kt::dim<n> {} n;

auto f = kt::function([](kt::var<std::uint8_t, n> x) { return x + 300; });  // <- here
