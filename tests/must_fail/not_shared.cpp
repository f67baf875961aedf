// expect: kroton: only a kt::shared of the session's model has values
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct layer : kt::model {
  kt::shared<float, 3> W{this, "W"};
  int size = 3;
};
auto values = kt::session<layer>().values<&layer::size>();  // <- here
