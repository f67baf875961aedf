// expect: kroton: the compiler makes the model, with a constructor that takes no arguments and is constexpr
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct layer : kt::model {
  layer() {}
  kt::shared<float, 3> W{this, "W"};
};
kt::session<layer> session;  // <- here
