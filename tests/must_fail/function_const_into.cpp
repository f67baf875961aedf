// expect: kroton: a call of a compiled function changes the memory that it keeps for the next call
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct n : kt::dim<n> {} n;

auto f = kt::function([](kt::var<float, n> x) { return 2 * x; });
void call(const decltype(f)& g, kt::tensor<float, 1>& y, const kt::tensor<float, 1>& x) { g.into(y, x); }  // <- here
