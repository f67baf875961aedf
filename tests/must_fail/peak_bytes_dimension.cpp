// expect: kroton: the function has no dimension of this name
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct layer : kt::model {
  kt::shared<float, 3> W{this, "W"};
  constexpr auto apply(kt::var<float, batch, 3> x) const { return x * W; }
};
inline constexpr struct rows : kt::dim<rows> {} rows;
auto found = kt::peak_bytes<&layer::apply>(rows(3));  // <- here
