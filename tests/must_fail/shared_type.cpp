// expect: kroton: this is not an element type
#include <kroton/kroton.hpp>
#include <string>
namespace kt = kroton;
inline constexpr struct n : kt::dim<n> {} n;

struct names : kt::model {
  kt::shared<std::string, 3> known{this, "known"};  // <- here
  constexpr auto add(kt::var<float, 3> x) const { return x + known; }
};
auto f = kt::session<names>().compile<&names::add>();
