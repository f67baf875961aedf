// expect: kroton: the replacement of an expression must have its element type and extents
#include <kroton/expr/capture.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f(kt::var<float, 3> x, kt::var<float, 4> y) {
  return kt::outputs(kt::exp(x)).givens(kt::given(x, y));  // <- here
}
