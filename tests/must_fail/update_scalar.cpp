// expect: kroton: an update must have the element type and the extents
#include <kroton/expr/capture.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct counter : kt::model {
  kt::shared<int> n{this, "n"};
  constexpr auto step(kt::var<float> x) const {
    return kt::outputs(x).updates(kt::update(n, kt::cast<std::int64_t>(x)));  // <- here
  }
};
