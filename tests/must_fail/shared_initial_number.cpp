// expect: kroton: a shared variable takes its model, its name and perhaps a kt::init
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct layer : kt::model {
  kt::shared<float, 3> W{this, "W", 0.5};  // <- here
  constexpr auto apply(kt::var<float, 3> x) const { return x * W; }
};
auto f = kt::session<layer>().compile<&layer::apply>();
