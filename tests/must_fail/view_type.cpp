// expect: kroton: this is not an element type
#include <kroton/tensor.hpp>
#include <string>
namespace kt = kroton;

float total(kt::view<const std::string, 1> x) { return static_cast<float>(x.extents()[0]); }  // <- here
