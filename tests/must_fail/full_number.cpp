// expect: kroton: a number does not fit float, which holds numbers up to 3.4e38, and infinity
// says: told::line<7>
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct n : kt::dim<n> {} n;

constexpr auto large = [](kt::var<float, n> x) { return x + kt::full<float, n>(1e300); };
auto f = kt::function(large);  // <- here
