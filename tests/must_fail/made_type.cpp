// expect: kroton: this is not an element type
#include <kroton/kroton.hpp>
#include <string>
namespace kt = kroton;
inline constexpr struct n : kt::dim<n> {} n;

auto f = kt::function([](kt::var<float, n> x) {
  return x + kt::ones<std::string, n>();  // <- here
});
