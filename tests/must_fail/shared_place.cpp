// expect: kroton: a shared variable takes its model, its name
#include <kroton/kroton.hpp>
namespace kt = kroton;

struct layer : kt::model {
  kt::shared<float, 3> a{this, "a", kt::init::zeros, 1};  // <- here
};
layer made;
