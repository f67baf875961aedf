// expect: kroton: a range has two bounds
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, 3> x) {
  return x[kt::rows(1)];  // <- here
});
