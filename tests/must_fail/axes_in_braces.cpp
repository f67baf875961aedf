// expect: kroton: axes are written kt::axis<0> or kt::axis<0, 2>
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, 3, 3> x) {
  return kt::sum(x, {0, 1});  // <- here
});
