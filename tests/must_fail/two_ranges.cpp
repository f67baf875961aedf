// expect: kroton: in brackets is one of kt::rows, kt::cols and kt::range
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, 3, 3> x) {
  return x[kt::rows(0, 2), kt::cols(0, 1)];  // <- here
});
