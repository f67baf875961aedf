// expect: kroton: this is not an element type
#include <kroton/tensor.hpp>
#include <string>
namespace kt = kroton;

kt::tensor<std::string, 2> x({2, 3});  // <- here
