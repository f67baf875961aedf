// expect: kroton: an extent is a number >= 0, a named dimension
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct length {};
constexpr auto f(kt::var<float, length{}> x) {  // <- here
  return x;
}
