// expect: kroton: the compiler makes the model, with a constructor that takes no arguments and is constexpr
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct layer : kt::model {
  constexpr explicit layer(int) {}
  kt::shared<float, 3> W{this, "W"};
  constexpr auto apply(kt::var<float, 3> x) const { return x * W; }
};
kt::session<layer> session;  // <- here
auto f = session.compile<&layer::apply>();
