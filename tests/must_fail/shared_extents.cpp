// expect: kroton: the extents of a session's shared variables are numbers or named dimensions
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct layer : kt::model {
  kt::shared<float, kt::any> W{this, "W"};
};
kt::session<layer> session;  // <- here
