// expect: kroton: an operand is not an expression
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

kt::tensor<float, 1> weights({3});
auto f = kt::function([](kt::var<float, 3> x) {
  return kt::exp(x + weights);  // <- here
});
