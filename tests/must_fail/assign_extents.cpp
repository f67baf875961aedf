// expect: kroton: the kt::var wanted here has other extents or another element type than this expression
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct network : kt::model {
  kt::shared<float, 4, 3> W{this, "W"};
  constexpr auto apply(kt::var<float, batch, 4> x) const {
    auto h = x;
    for (int i = 0; i < 3; ++i) h = kt::dot(h, W);  // <- here
    return h;
  }
};
auto f = kt::session<network>().compile<&network::apply>();
