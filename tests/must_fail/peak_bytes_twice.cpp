// expect: kroton: give a value to each dimension of the function, once
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;
inline constexpr struct width : kt::dim<width> {} width;

struct layer : kt::model {
  constexpr auto apply(kt::var<float, batch, width> x) const { return kt::exp(x); }
};
auto found = kt::peak_bytes<&layer::apply>(batch(10), batch(20));  // <- here
