// expect: kroton: a number with a fraction beside a tensor of integers
#include <kroton/kroton.hpp>
namespace kt = kroton;

auto f = kt::function([](kt::var<int, 3> x) {
  return x + kt::full<int, 3>(0.5);  // <- here
});
