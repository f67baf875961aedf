// expect: kroton: two shared variables have the same name
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct layer : kt::model {
  kt::shared<float, 3> W{this, "W"}, b{this, "W"};
  constexpr auto apply(kt::var<float, 3> x) const { return x * W + b; }
};
auto f = kt::session<layer>().compile<&layer::apply>();  // <- here
