// expect: kroton: a compiled function is moved, not copied
// most: 24, because the way leads through the standard library
#include <functional>
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct n : kt::dim<n> {} n;

auto f = kt::function([](kt::var<float, n> x) { return 2 * x; });
std::function<kt::tensor<float, 1>(const kt::tensor<float, 1>&)> g = std::move(f);  // <- here
