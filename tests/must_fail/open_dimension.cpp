// expect: kroton: no argument or shared variable has this dimension
// says: told::dimension<'n'>
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct n : kt::dim<n> {} n;

auto f = kt::function([](kt::var<float, 3> x) { return kt::broadcast_to<n, 3>(x); });  // <- here
