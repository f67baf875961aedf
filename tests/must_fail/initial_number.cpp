// expect: kroton: a number does not fit uint8, which holds the integers from 0 to 255
// says: told::shared<'s', 'e', 'e', 'n'>
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct n : kt::dim<n> {} n;

struct counter : kt::model {
  kt::state<std::uint8_t> seen{this, "seen", kt::init::constant(300)};
  constexpr auto count() const { return kt::updates(kt::update(seen, seen + 1)); }
};
auto f = kt::session<counter>().compile<&counter::count>();  // <- here
