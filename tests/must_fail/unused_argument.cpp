// expect: kroton: the function does not use one of its arguments
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f = [](kt::var<float, batch> x, kt::var<float>) { return x; };
auto g = kt::function(f);  // <- here
