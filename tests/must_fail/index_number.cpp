// expect: kroton: in brackets is one of kt::rows, kt::cols and kt::range
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, batch, 3> x) {
  return x[1];  // <- here
});
