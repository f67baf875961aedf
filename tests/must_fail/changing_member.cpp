// expect: kroton: a compiled member function is const
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct layer : kt::model {
  kt::shared<float, 3> W{this, "W"};
  constexpr auto apply(kt::var<float, 3> x) { return x * W; }
};
auto f = kt::session<layer>().compile<&layer::apply>();  // <- here
