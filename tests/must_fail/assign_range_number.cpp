// expect: kroton: a part of an expression cannot be assigned to
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct network : kt::model {
  constexpr auto apply(kt::var<float, batch> x) const {
    x[kt::rows(0, 2)] = 1;  // <- here
    return x;
  }
};
auto f = kt::session<network>().compile<&network::apply>();
