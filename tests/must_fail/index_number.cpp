// expect: kroton: brackets take a position, kt::at, kt::rows, kt::cols or kt::range
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, batch, 3> x) {
  return x[1.5];  // <- here
});
