// expect: kroton: a shared variable takes its model and its name
#include <kroton/kroton.hpp>
namespace kt = kroton;

struct linear : kt::model {
  kt::shared<float, 3> W;
  constexpr auto cost() const { return kt::sum(W); }
};

kt::session<linear> session;  // <- here
