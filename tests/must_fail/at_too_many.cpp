// expect: kroton: kt::at takes, for the axes of the tensor, positions
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, batch, 3> x) {
  return x[kt::at(0, kt::all, 1)];  // <- here
});
