// expect: kroton: a value of the body of a loop is used outside
#include <kroton/kroton.hpp>
namespace kt = kroton;

inline constexpr struct n : kt::dim<n> {} n;

auto f = kt::function([](kt::var<float, n> x) {  // <- here
  kt::var<float> kept = kt::sum(x);
  auto s = kt::scan(
      [&](auto row, auto before) {
        kept = row;
        return row + before;
      },
      kt::sequences(x), kt::carried(0.0f));
  return s.last + kept;
});
