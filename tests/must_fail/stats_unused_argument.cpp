// expect: kroton: the function does not use one of its arguments
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct layer : kt::model {
  kt::shared<float, 3> W{this, "W"};
  constexpr auto apply(kt::var<float>) const { return W * 2; }
};
auto found = kt::stats<&layer::apply>();  // <- here
