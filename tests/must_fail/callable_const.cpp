// expect: kroton: the function of a const callable changes shared variables
#include <kroton/callable.hpp>
#include <kroton/kroton.hpp>
namespace kt = kroton;

struct counter : kt::model {
  kt::shared<float> count{this, "count"};
  constexpr auto add(kt::var<float> x) const { return kt::updates(kt::update(count, count + x)); }
};
kt::callable<void(float) const> make(kt::session<counter>& session) {
  return session.compile<&counter::add>();  // <- here
}
