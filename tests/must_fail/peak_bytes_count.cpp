// expect: kroton: give a value to each dimension of the function, once
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct layer : kt::model {
  kt::shared<float, 3> W{this, "W"};
  constexpr auto apply(kt::var<float, batch, 3> x) const { return x * W; }
};
auto found = kt::peak_bytes<&layer::apply>();  // <- here
