// expect: kroton: a function object is passed as an argument, not in angle brackets
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, batch> x) { return 2 * x; });
static_assert(kt::peak_bytes<f>(batch(2)) == 0);  // <- here
