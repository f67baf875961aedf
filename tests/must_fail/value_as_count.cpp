// expect: kroton: an expression has no value while the function is captured
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<int> n, kt::var<float> x) {
  for (int i = 0; i < n; ++i) x = x * 2;  // <- here
  return x;
});
