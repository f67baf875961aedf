// expect: kroton: the function updates one shared variable twice
// says: shared<'c', 'a', 'l', 'l', 's'>
#include <kroton/kroton.hpp>
namespace kt = kroton;

struct counter : kt::model {
  kt::state<int> calls{this, "calls"};
  constexpr counter() {
    default_update(calls, calls + 1);
    default_update(calls, calls + 2);
  }
  constexpr auto f(kt::var<int> x) const { return x + calls; }
};

int main() {
  kt::session<counter> session;
  session.compile<&counter::f>();  // <- here
}
