// expect: kroton: a dimension has no value while the function is captured
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, batch> x) {
  auto y = 2 * x;
  for (int i = 0; i < batch; ++i) y = y + 1;  // <- here
  return y;
});
