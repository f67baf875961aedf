// expect: kroton: grad takes a scalar cost, and an expression or the parameters
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct layer : kt::model {
  kt::shared<float, 3> W{this, "W"};
  constexpr auto apply(kt::var<float, 3> x) const {
    return kt::grad(kt::sum(x * W), W, x);  // <- here
  }
};
auto f = kt::session<layer>().compile<&layer::apply>();
