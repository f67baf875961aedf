// expect: kroton: there is no gradient with respect to a shared variable of integers or bool
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct layer : kt::model {
  kt::shared<float, 3> W{this, "W"};
  kt::shared<int> count{this, "count"};
  constexpr auto train(kt::var<float, 3> x) const {
    auto cost = kt::sum(x * W) * kt::cast<float>(count);
    return kt::updates(kt::optim::sgd(cost, parameters(), 0.1F));
  }
};
auto f = kt::session<layer>().compile<&layer::train>();  // <- here
