// expect: kroton: there is no first element along axes of extent 0
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, batch, 0> x) {
  return kt::argmax(x, kt::axis<1>);  // <- here
});
