// expect: kroton: updates are made by kt::update(variable, value) or by an optimiser, on a kt::shared
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct layer : kt::model {
  kt::shared<float, 3> W{this, "W"};
  constexpr auto train(kt::var<float, 3> x) const {
    return kt::updates(kt::update(x, x + W));  // <- here
  }
};
auto f = kt::session<layer>().compile<&layer::train>();
