// expect: kroton: an expression has no value while the function is captured
// most: 45, because std::exp is not constexpr with clang, which says so too
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, 3> x) {
  return std::exp(x);  // <- here
});
