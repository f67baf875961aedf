// expect: kroton: an optimiser takes a cost, parameters(), and a rate
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct layer : kt::model {
  kt::shared<float, 3> W{this, "W"};
  constexpr auto apply(kt::var<float, 3> x) const {
    return kt::updates(kt::optim::sgd(kt::sum(x * W), 0.1));  // <- here
  }
};
auto f = kt::session<layer>().compile<&layer::apply>();
