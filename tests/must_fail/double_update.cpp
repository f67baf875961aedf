// expect: kroton: the function updates one shared variable twice
// says: told::shared<'b'>
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct layer : kt::model {
  kt::shared<float, 3> b{this, "b"};
  constexpr auto train(kt::var<float, 3> x) const { return kt::updates(kt::update(b, b + x), kt::update(b, x)); }
};
auto f = kt::session<layer>().compile<&layer::train>();  // <- here
