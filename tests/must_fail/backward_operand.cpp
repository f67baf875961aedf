// expect: kroton: a backward rule adds gradients with the extents and the element type of an operand
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct twice : kt::routine<twice, 1, kt::operands::floating> {
  static constexpr const char* name = "twice";
  static void host(const auto&) {}
  template <class B>
  static constexpr void backward(B& b) {
    b.add(1, b.seed());
  }
};
auto f = kt::function([](kt::var<float, batch> x) {  // <- here
  return kt::grad(kt::sum(kt::call_routine<twice>(x)), x);
});
