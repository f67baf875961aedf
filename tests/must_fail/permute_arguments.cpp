// expect: kroton: element types, extents and orders of axes are written in angle brackets
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, 3, 3> x) {
  return kt::permute(x, 1, 0);  // <- here
});
