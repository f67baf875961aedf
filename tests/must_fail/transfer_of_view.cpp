// expect: kroton: a transfer is needed that is not written, which kt::policy::explicit_transfers does not allow
// says: told::operation<'d', 'o', 't'>
// says: told::from<'d', 'e', 'v', '1'>
// says: told::to<'d', 'e', 'v', '0'>
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct dev0 : kt::context_name<dev0> {} dev0;
inline constexpr struct dev1 : kt::context_name<dev1> {} dev1;

struct layer : kt::model {
  kt::shared<float, 3, 3> a{this, "a", dev0};
  kt::shared<float, 3> b{this, "b", dev1}, c{this, "c", dev0};
  constexpr auto step() const { return kt::updates(kt::update(c, kt::dot(a, b))); }
};
kt::session<layer> session;
auto f = session.compile<&layer::step, kt::policy::explicit_transfers>();  // <- here
