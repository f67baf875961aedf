// expect: kroton: the function has no dimension of this name
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;
inline constexpr struct rows : kt::dim<rows> {} rows;

struct layer : kt::model {
  kt::shared<float, rows> W{this, "W"};  // which the function does not use
  constexpr auto apply(kt::var<float, batch> x) const { return kt::exp(x); }
};
auto found = kt::peak_bytes<&layer::apply>(rows(5));  // <- here
