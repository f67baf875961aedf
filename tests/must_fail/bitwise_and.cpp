// expect: kroton: logic is written &&, || and !
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<bool, 3> x, kt::var<bool, 3> y) {
  return x & y;  // <- here
});
