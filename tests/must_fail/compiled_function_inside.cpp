// expect: kroton: a compiled function is called with tensors
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto twice = kt::function([](kt::var<float, batch> x) { return 2 * x; });
auto f = kt::function([](kt::var<float, batch> x) {
  return twice(x) + 1;  // <- here
});
