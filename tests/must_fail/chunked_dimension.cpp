// expect: kroton: the function has no dimension of this name
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

inline constexpr struct rows : kt::dim<rows> {} rows;
auto f = kt::function([](kt::var<float, batch, 4> x) { return kt::exp(x); });
auto g = kt::chunked<rows>(f, 32);  // <- here
