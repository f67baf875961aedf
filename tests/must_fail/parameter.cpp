// expect: kroton: the parameters of a compiled function are kt::var
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](float x, kt::var<float, batch> y) { return y * x; });  // <- here
