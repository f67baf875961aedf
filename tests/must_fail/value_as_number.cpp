// expect: kroton: an expression has no value while the function is captured
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float> x) {
  float number = x;  // <- here
  return number * x;
});
