// expect: kroton: a dimension has no value while the function is captured
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, batch> x) {
  return kt::sum(x) / (batch / 2);  // <- here
});
