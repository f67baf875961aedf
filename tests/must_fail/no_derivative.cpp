// expect: kroton: kt::grad through an operation that has no derivative
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct stairs : kt::elementwise<stairs, 1, kt::operands::floating> {
  static constexpr const char* name = "stairs";
  template <class V>
  static constexpr V apply(const V& x) {
    return x;
  }
};
auto f = kt::function([](kt::var<float, batch> x) {  // <- here
  return kt::grad(kt::sum(kt::layer_of<decltype(x)>::map<stairs>(x)), x);
});
