// expect: kroton: a number with a fraction beside a tensor of integers
#include <kroton/expr/capture.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f(kt::var<int, batch> x) {
  return x * 0.5;  // <- here
}
