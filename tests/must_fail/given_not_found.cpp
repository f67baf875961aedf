// expect: kroton: kt::givens replaces an expression that the function does not contain
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f = [](kt::var<float, 3> x, kt::var<float, 3> y) {
  return kt::outputs(x + y).givens(kt::given(x * y, y));
};
auto g = kt::function(f);  // <- here
