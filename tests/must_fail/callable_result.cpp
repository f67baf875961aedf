// expect: kroton: the function of a callable returns something else
#include <kroton/callable.hpp>
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct n : kt::dim<n> {} n;

kt::callable<double(const kt::tensor<double, 1>&)> make() {
  return kt::function([](kt::var<double, n> x) { return kt::exp(x); });  // <- here
}
