// expect: kroton: chunked: the function cannot be computed piece by piece
// says: told::operation<'d', 'o', 't'>
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, batch, 4> x) { return kt::dot(x, kt::transpose(x)); });
auto g = kt::chunked<batch>(f, 32);  // <- here
