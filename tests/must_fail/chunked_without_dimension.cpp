// expect: kroton: kt::chunked takes a dimension and the size of a piece
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, batch> x) { return kt::sum(x); });
auto pieces = kt::chunked(f, 1024);  // <- here
