// expect: kroton: the function of a callable returns something else
#include <kroton/callable.hpp>
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct n : kt::dim<n> {} n;

kt::callable<int(const std::vector<float>&)> make() {
  return kt::function([](kt::var<float, n> x) { return kt::sum(x); });  // <- here
}
