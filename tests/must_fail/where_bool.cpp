// expect: kroton: a condition or a mask is a tensor of bool
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, 3> x) {
  return kt::where(true, x, -x);  // <- here
});
