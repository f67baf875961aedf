// expect: kroton: an optimiser takes a cost, parameters(), and a rate
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct layer : kt::model {
  kt::shared<float, 3> W{this, "W"};
  constexpr auto train(kt::var<float, 3> x, kt::var<double> rate) const {
    return kt::updates(kt::optim::sgd(kt::sum(x * W), parameters(), rate));  // <- here
  }
};
auto f = kt::session<layer>().compile<&layer::train>();
