// expect: kroton: a part of an expression cannot be assigned to
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, batch> x) {
  x[0] += 1;  // <- here
  return x;
});
