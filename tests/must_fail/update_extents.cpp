// expect: kroton: an update must have the element type and the extents
#include <kroton/expr/capture.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct layer : kt::model {
  kt::shared<float, 3> b{this, "b"};
  constexpr auto train(kt::var<float, 4> x) const {
    return kt::updates(kt::update(b, x));  // <- here
  }
};
