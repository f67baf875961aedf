// expect: kroton: kt::lazy takes a contiguous vector for each argument of the function, with elements of its type
#include <kroton/kroton.hpp>
#include <vector>
namespace kt = kroton;

void scaled(const std::vector<float>& x) {
  (void)kt::lazy([](kt::var<float> a, kt::var<float> b) { return a * b; }, x, 2.0f);  // <- here
}
