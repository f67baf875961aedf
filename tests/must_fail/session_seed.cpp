// expect: kroton: a session takes a context and a seed
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct layer : kt::model {
  kt::shared<float, 3> W{this, "W"};
};
kt::session<layer> session(42);  // <- here
