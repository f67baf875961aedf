// expect: kroton: grad needs a scalar cost
#include <kroton/expr/capture.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct layer : kt::model {
  kt::shared<float, 3> b{this, "b"};
  constexpr auto train(kt::var<float, 3> x) const {
    const auto list = kt::grad(x * b, parameters());  // <- here
    return kt::outputs(x);
  }
};
