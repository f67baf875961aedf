// expect: kroton: kt::grad with respect to a variable that the cost does not depend on
// says: told::argument<2>
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f = [](kt::var<float, batch> x, kt::var<float> y) { return kt::outputs(kt::grad(kt::sum(x), y), x); };
auto g = kt::function(f);  // <- here
