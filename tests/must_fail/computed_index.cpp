// expect: kroton: an index must be an argument of the function or a shared variable
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, 5> x, kt::var<int, batch> i) { return kt::take(x, i + 1); });  // <- here
