// expect: kroton: element types, extents and orders of axes are written in angle brackets
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<int, batch> label) {
  return kt::one_hot(label, 10);  // <- here
});
