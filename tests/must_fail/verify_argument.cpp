// expect: kroton: an argument of the call does not have the element type
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

#include <kroton/debug/verify.hpp>
auto f = kt::function([](kt::var<float, batch> x) { return 2 * x; });
auto same = kt::debug::verify(f, 2);  // <- here
