// expect: kroton: expressions do not change; x = x + y makes a new one
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<int, batch> x) {
  ++x;  // <- here
  return x;
});
