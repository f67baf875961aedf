// expect: kroton: a compiled function is moved, not copied
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct n : kt::dim<n> {} n;

auto f = kt::function([](kt::var<float, n> x) { return 2 * x; });
auto g = f;  // <- here
