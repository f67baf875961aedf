// expect: kroton: this is not an element type
#include <kroton/kroton.hpp>
#include <string>
namespace kt = kroton;
inline constexpr struct n : kt::dim<n> {} n;

auto f = kt::function([](kt::var<std::string, n> x, kt::var<float, n> y) {  // <- here
  return kt::sum(x) + kt::exp(x) * y;
});
