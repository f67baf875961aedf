// expect: kroton: this is not an element type
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, batch> x) {
  return kt::cast<long double>(x);  // <- here
});
