// expect: kroton: a compiled function returns an expression
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct layer : kt::model {
  kt::shared<float, 3> W{this, "W"};
  constexpr auto slopes(kt::var<float, 3> x) const { return kt::grad(kt::sum(x * W), parameters()); }
};
auto f = kt::session<layer>().compile<&layer::slopes>();  // <- here
