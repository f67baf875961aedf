// expect: kroton: a shared variable changes when the function returns kt::update(variable, value)
#include <kroton/kroton.hpp>
namespace kt = kroton;

struct counter : kt::model {
  kt::shared<float> total{this, "total"};
  constexpr auto add(kt::var<float> x) const {
    total += x;  // <- here
    return 2 * x;
  }
};
auto f = kt::session<counter>().compile<&counter::add>();
