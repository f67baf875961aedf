// expect: kroton: a kt::var is not a value; functions of values are session.compile<&model::f>()
#include <kroton/kroton.hpp>
namespace kt = kroton;

struct network : kt::model {
  kt::shared<float, 3> W{this, "W"};
  constexpr auto apply(kt::var<float, 3> x, kt::var<float> rate) const { return x * W * rate; }
};
auto call(const network& net, const kt::tensor<float, 1>& x) {
  return net.apply(x, 0.1f);  // <- here
}
