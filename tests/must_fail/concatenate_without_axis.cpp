// expect: kroton: concatenate and stack take an axis and then expressions
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, 3> x, kt::var<float, 3> y) {
  return kt::concatenate(x, y);  // <- here
});
