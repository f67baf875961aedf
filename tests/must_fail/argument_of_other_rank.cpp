// expect: kroton: an argument of the call does not have the element type or the number of axes
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct n : kt::dim<n> {} n;

void g() {
  auto f = kt::function([](kt::var<float, n> x) { return 2 * x; });
  f(kt::tensor<float, 2>({2, 2}));  // <- here
}
