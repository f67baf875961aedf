// expect: kroton: a shared variable takes its model and its name
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct layer : kt::model {  // <- here
  kt::shared<float, 3> W;
};
layer first;
