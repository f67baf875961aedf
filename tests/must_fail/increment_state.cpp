// expect: kroton: a shared variable changes when the function returns kt::update(variable, value)
#include <kroton/kroton.hpp>
namespace kt = kroton;

struct counted : kt::model {
  kt::state<int> calls{this, "calls"};
  constexpr auto apply(kt::var<int> x) const {
    calls++;  // <- here
    return x + calls;
  }
};
kt::session<counted> session;
auto apply = session.compile<&counted::apply>();
