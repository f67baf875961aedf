// expect: kroton: brackets take a position, kt::at, kt::rows, kt::cols or kt::range
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, 3, 3> x) {
  return x[kt::rows(0, 2), kt::cols(0, 1)];  // <- here
});
