// expect: kroton: in brackets is one of kt::rows, kt::cols and kt::range, kt::take and kt::pick select by numbers of rows, and no part is assigned to
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, batch> x) {
  x[0] = 1;  // <- here
  return x;
});
