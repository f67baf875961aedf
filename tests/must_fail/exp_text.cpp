// expect: kroton: an operand is not an expression
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto y = kt::exp("text");  // <- here
