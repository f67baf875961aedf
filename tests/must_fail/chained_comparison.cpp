// expect: kroton: the operation does not take this element type
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, 3> x) {
  return 0 < x < 1;  // <- here
});
