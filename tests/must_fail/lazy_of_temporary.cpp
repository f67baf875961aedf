// expect: kroton: kt::lazy reads its vectors later, so none may end with the statement; give it a name first
#include <kroton/kroton.hpp>
#include <vector>
namespace kt = kroton;

auto doubled() {
  return kt::lazy([](kt::var<float> x) { return 2 * x; }, std::vector<float>(3));  // <- here
}
