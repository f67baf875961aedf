// expect: kroton: kt::chunked takes a dimension and the size of a piece, which is an integer or kt::fit_budget
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, batch, 4> x) { return kt::exp(x); });
auto g = kt::chunked<batch>(f, 0.5);  // <- here
