// expect: kroton: updates are made by kt::update(variable, value) or by an optimiser
// says: several stand side by side, or are joined by +
#include <kroton/kroton.hpp>
namespace kt = kroton;

struct counter : kt::model {
  kt::shared<float> total{this, "total"};
  constexpr auto add(kt::var<float> x) const {
    return kt::outputs(x).updates(kt::updates(kt::update(total, total + x)));  // <- here
  }
};
auto f = kt::session<counter>().compile<&counter::add>();
