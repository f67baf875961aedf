// expect: kroton: a position or range lies outside its axis
// says: told::numbers<4, 3>
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f = [](kt::var<float, batch, 3> x) { return x[kt::at(kt::all, 3)]; };
auto g = kt::function(f);  // <- here
