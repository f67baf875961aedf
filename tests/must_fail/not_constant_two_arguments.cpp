// expect: kroton: the function cannot be evaluated while compiling
// most: 29, because the compiler adds what cannot be evaluated
// says: something in it is not constexpr, as std::sqrt is not with clang and nvcc (kt::constexpr_sqrt is)
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

float factor();
auto f = kt::function([](kt::var<float, batch> x, kt::var<float, batch> y) { return x * y * factor(); });  // <- here
