// expect: kroton: a result is a kt::tensor
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct n : kt::dim<n> {} n;

auto f = kt::function([](kt::var<float, n> x) { return 2 * x; });
std::vector<float> y = f(std::vector<float>{1, 2});  // <- here
