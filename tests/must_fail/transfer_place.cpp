// expect: kroton: a place is kt::host, kt::home or the name of a context
#include <kroton/kroton.hpp>
namespace kt = kroton;

auto f = kt::function([](kt::var<float, 3> x) {
  return kt::transfer<0>(x);  // <- here
});
