// expect: kroton: the function of a callable does not take its arguments
#include <kroton/callable.hpp>
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct n : kt::dim<n> {} n;

kt::callable<kt::tensor<float, 1>(kt::view<const double, 1>)> make() {
  return kt::function([](kt::var<float, n> x) { return kt::exp(x); });  // <- here
}
