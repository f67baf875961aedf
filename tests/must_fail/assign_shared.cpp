// expect: kroton: a shared variable changes when the function returns kt::update
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct layer : kt::model {
  kt::shared<float, 3> W{this, "W"};
  constexpr auto apply(kt::var<float, 3> x) const {
    W = W - x;  // <- here
    return kt::sum(W * x);
  }
};
auto f = kt::session<layer>().compile<&layer::apply>();
