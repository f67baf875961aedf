// expect: kroton: session.compile takes a member function of the session's model
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct layer : kt::model {
  kt::shared<float, 3> W{this, "W"};
};
auto f = kt::session<layer>().compile<&layer::W>();  // <- here
