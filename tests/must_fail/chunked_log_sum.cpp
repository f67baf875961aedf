// expect: kroton: chunked: the function cannot be computed piece by piece, because an operation needs more of the dimension than a piece
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function(
    [](kt::var<float, batch> x) { return kt::log(kt::sum(kt::exp(x))); });  // whose stable form needs the largest first
auto g = kt::chunked<batch>(f, 32);                                         // <- here
