// expect: kroton: this argument is an integer scalar
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<int> x) { return x + 1; });
int y = f(0.5);  // <- here
