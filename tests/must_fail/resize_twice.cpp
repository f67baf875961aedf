// expect: kroton: each dimension is given one extent: session.resize(batch(64))
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct running : kt::model {
  kt::shared<float, batch> mean{this, "mean"};
};
void f() {
  kt::session<running> session;
  session.resize(batch(4), batch(5));  // <- here
}
