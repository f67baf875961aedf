// expect: kroton: a tensor is printed by its elements
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

#include <iostream>
void show(const kt::tensor<float, 1>& x) {
  std::cout << x << std::endl;  // <- here
}
