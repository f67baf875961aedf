// expect: kroton: the kt::var wanted here has other extents or another element type than this expression
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto layer(const kt::var<float, batch, 4>& x) { return kt::tanh(x); }
auto f = kt::function([](kt::var<double, batch, 4> x) {
  return layer(2 * x);  // <- here
});
