// expect: kroton: a kt::var is not a value; functions of values are session.compile<&model::f>()
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct network : kt::model {
  kt::shared<float, 3> W{this, "W"};
  constexpr auto apply(kt::var<float, batch, 3> x) const { return x * W; }
};
auto call(const network& net, const kt::tensor<float, 2>& x) {
  return net.apply(x);  // <- here
}
