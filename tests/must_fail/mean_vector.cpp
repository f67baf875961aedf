// expect: kroton: an operand is not an expression
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

std::vector<float> values;
auto f = kt::function([](kt::var<float, 3> x) {
  return x - kt::mean(values);  // <- here
});
