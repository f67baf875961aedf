// expect: kroton: the function does not use one of its arguments any more, because kt::givens replaces what used it
// says: argument<1>
#include <kroton/kroton.hpp>
namespace kt = kroton;

constexpr auto f = [](kt::var<float, 3> x, kt::var<float, 3> y) { return kt::outputs(2 * x).givens(kt::given(x, y)); };
auto g = kt::function(f);  // <- here
