// expect: kroton: chunked: the dimension is the first axis of arguments and outputs that have it
// says: told::argument<1>
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, 4, batch> x) { return kt::exp(x); });
auto g = kt::chunked<batch>(f, 32);  // <- here
