// expect: kroton: a compiled function returns an expression
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, batch>) { return 1.0F; });  // <- here
