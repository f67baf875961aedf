// expect: kroton: the function belongs to another model than the session
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct layer : kt::model {
  kt::shared<float, 3> W{this, "W"};
  constexpr auto apply(kt::var<float, 3> x) const { return x * W; }
};
struct other : kt::model {};
auto f = kt::session<other>().compile<&layer::apply>();  // <- here
