// expect: kroton: reshape must keep the number of elements
#include <kroton/expr/capture.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f(kt::var<float, batch, 6> x) {
  return kt::reshape<batch, 2, 4>(x);  // <- here
}
