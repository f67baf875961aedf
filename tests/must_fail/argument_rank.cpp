// expect: kroton: an argument of the call does not have the element type or the number of axes
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

kt::tensor<float, 1> rows(const std::vector<float>& x) {
  auto f = kt::function([](kt::var<float, batch, 3> v) { return kt::sum(v, kt::axis<1>); });
  return f(x);  // <- here
}
