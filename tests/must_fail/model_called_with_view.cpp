// expect: kroton: a kt::var is not a value; functions of values are session.compile<&model::f>()
#include <kroton/kroton.hpp>
namespace kt = kroton;

struct network : kt::model {
  kt::shared<float, 3> W{this, "W"};
  constexpr auto apply(kt::var<float, 3> x) const { return x * W; }
};
auto call(const network& net, const float* x) {
  return net.apply(kt::view(x, {3}));  // <- here
}
