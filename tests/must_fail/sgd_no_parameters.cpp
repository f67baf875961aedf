// expect: kroton: an optimiser is given no parameters to train
// says: told::line<11>
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct n : kt::dim<n> {} n;

struct counter : kt::model {
  kt::state<float> mean{this, "mean"};
  constexpr auto train(kt::var<float> x) const {
    auto cost = kt::sqr(x - mean);
    return kt::outputs(cost).updates(kt::optim::sgd(cost, parameters(), 0.1F));
  }
};
auto f = kt::session<counter>().compile<&counter::train>();  // <- here
