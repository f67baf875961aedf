// expect: kroton: how many indices these bounds select depends on the extent of the axis
#include <kroton/expr/capture.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f(kt::var<float, batch, 4> x) {
  return x[kt::rows<1, kt::end>()];  // <- here
}
