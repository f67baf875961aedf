// expect: kroton: kt::outputs takes expressions
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, batch> x) {
  return kt::outputs(x, 1);  // <- here
});
