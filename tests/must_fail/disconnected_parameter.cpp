// expect: kroton: kt::grad with respect to a variable that the cost does not depend on
// says: told::shared<'b'>
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct layer : kt::model {
  kt::shared<float, 3> W{this, "W"}, b{this, "b"};
  constexpr auto train(kt::var<float, 3> x) const {
    const auto list = kt::grad(kt::sum(x * W), parameters());
    return kt::outputs(x);
  }
};
auto f = kt::session<layer>().compile<&layer::train>();  // <- here
