// expect: kroton: the extents of the operands do not match
#include <kroton/expr/capture.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct layer : kt::model {
  kt::shared<float, 3, 4> W{this, "W"};
  kt::shared<float, 5> b{this, "b"};
  constexpr auto apply(kt::var<float, batch, 3> x) const {
    return kt::tanh(kt::dot(x, W) + b);  // <- here
  }
};
