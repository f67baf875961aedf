// expect: kroton: a bound of a range is an integer, kt::end or a scalar argument
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f = [](kt::var<float, batch> x, kt::var<int> i) { return x[kt::rows(0, i + 1)]; };
auto g = kt::function(f);  // <- here
