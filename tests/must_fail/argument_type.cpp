// expect: kroton: an argument of the call does not have the element type or the number of axes
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

float total(const std::vector<double>& x) {
  auto f = kt::function([](kt::var<float> factor, kt::var<float, batch> v) { return kt::sum(v) * factor; });
  return f(2, x);  // <- here
}
