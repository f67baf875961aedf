// expect: kroton: no shared variable of the session's model has this dimension
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct layer : kt::model {
  kt::shared<float, 3> W{this, "W"};
};
void f() {
  kt::session<layer> session;
  session.resize(batch(4));  // <- here
}
