// expect: kroton: a kt::var is a parameter
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

kt::var<float, 3> x;  // <- here
auto y = kt::exp(x) * 2;
