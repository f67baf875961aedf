// expect: kroton: there is no gradient with respect to integers
#include <kroton/expr/capture.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f(kt::var<float, batch> x, kt::var<int, batch> i) {
  return kt::grad(kt::sum(x), i);  // <- here
}
