// expect: kroton: kt::where chooses between tensors, or a tensor and a number
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, 3> x) {
  return kt::where(x > 0, 1, 0);  // <- here
});
