// expect: kroton: the model of a session is a struct that derives from kt::model
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct layer {
  constexpr auto apply(kt::var<float, 3> x) const { return x * 2; }
};
auto f = kt::session<layer>().compile<&layer::apply>();  // <- here
