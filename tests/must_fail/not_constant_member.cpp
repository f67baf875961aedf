// expect: kroton: the function cannot be evaluated while compiling
// most: 26, because the compiler adds what cannot be evaluated
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct layer : kt::model {
  kt::shared<float, 3> W{this, "W"};
  auto apply(kt::var<float, 3> x) const { return x * W; }
};
auto f = kt::session<layer>().compile<&layer::apply>();  // <- here
