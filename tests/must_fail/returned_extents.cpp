// expect: kroton: the kt::var wanted here has other extents or another element type than this expression
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr kt::var<float, batch> mean(kt::var<float, batch, 4> x) {
  return kt::mean(x, kt::axis<0>);  // <- here
}
auto f = kt::function([](kt::var<float, batch, 4> x) { return mean(x); });
