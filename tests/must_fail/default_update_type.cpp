// expect: kroton: an update must have the element type and the extents of its shared variable
#include <kroton/kroton.hpp>
namespace kt = kroton;

struct counter : kt::model {
  kt::state<int> calls{this, "calls"};
  kt::shared<float, 3> w{this, "w"};
  constexpr counter() {
    default_update(calls, kt::sum(w));  // <- here
  }
  constexpr auto f(kt::var<float, 3> x) const { return x * w; }
};
