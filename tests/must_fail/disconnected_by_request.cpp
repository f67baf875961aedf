// expect: kroton: kt::grad with respect to a variable that the cost does not depend on
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f =
    kt::function([](kt::var<float, batch> x) { return kt::grad(kt::sum(kt::disconnected_grad(x)), x); });  // <- here
