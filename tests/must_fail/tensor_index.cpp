// expect: kroton: a tensor is indexed with one integer for each axis
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

float first(const kt::tensor<float, 2>& x) {
  return x(0);  // <- here
}
