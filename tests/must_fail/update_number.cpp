// expect: kroton: an update must have the element type and the extents
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct layer : kt::model {
  kt::shared<float, 3> W{this, "W"};
  constexpr auto reset(kt::var<float, 3> x) const {
    return kt::outputs(x).updates(kt::update(W, 0));  // <- here
  }
};
auto f = kt::session<layer>().compile<&layer::reset>();
