// expect: kroton: the kt::var wanted here has other extents or another element type than this expression
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct network : kt::model {
  static constexpr auto layer(kt::var<float, batch, 4> x) { return kt::tanh(x); }
  constexpr auto apply(kt::var<float, batch, 3> x) const {
    return layer(x);  // <- here
  }
};
auto f = kt::session<network>().compile<&network::apply>();
