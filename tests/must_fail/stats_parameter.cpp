// expect: kroton: the parameters of a compiled function are kt::var
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct layer : kt::model {
  kt::shared<float, 3> W{this, "W"};
  constexpr auto apply(int x) const { return W * x; }
};
auto found = kt::stats<&layer::apply>();  // <- here
