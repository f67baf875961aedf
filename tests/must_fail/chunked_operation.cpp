// expect: kroton: chunked: the function cannot be computed piece by piece, because an operation needs more of the dimension than a piece
// says: told::operation<'s', 'u', 'm'>
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, batch, 4> x) { return x - kt::mean(x, kt::axis<0>); });
auto g = kt::chunked<batch>(f, 32);  // <- here
