// expect: kroton: grad needs a floating-point cost
#include <kroton/expr/capture.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct layer : kt::model {
  kt::shared<int, 3> b{this, "b"};
  constexpr auto train(kt::var<int, 3> x) const {
    const auto list = kt::grad(kt::sum(x * b), parameters());  // <- here
    return kt::outputs(x);
  }
};
