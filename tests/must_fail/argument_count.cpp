// expect: kroton: the call and the function have different numbers of arguments
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

float total(const std::vector<float>& x) {
  auto f = kt::function([](kt::var<float, batch> v) { return kt::sum(v); });
  return f(x, 2);  // <- here
}
