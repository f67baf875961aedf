// expect: kroton: a compiled function is moved, not copied
#include <kroton/kroton.hpp>
#include <functional>
namespace kt = kroton;
inline constexpr struct n : kt::dim<n> {} n;

auto f = kt::function([](kt::var<float, n> x) { return kt::sum(x); });
std::function<float(std::vector<float>)> g = std::move(f).shared();  // <- here
