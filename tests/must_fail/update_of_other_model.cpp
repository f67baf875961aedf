// expect: kroton: an expression of another model in the function
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct block : kt::model {
  using kt::model::model;
  kt::shared<float, 3> V{this, "V"};
};
struct layer : kt::model {
  constexpr auto apply(kt::var<float, 3> x) const {
    block other;
    return kt::updates(kt::update(other.V, x));
  }
};
auto f = kt::session<layer>().compile<&layer::apply>();  // <- here
