// expect: kroton: logic is written &&, || and !
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<int, 3> x) {
  return x % 2;  // <- here
});
