// expect: kroton: an operand is not an expression
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

kt::tensor<bool, 1> mask({3});
auto f = kt::function([](kt::var<bool, 3> x) {
  return x && mask;  // <- here
});
