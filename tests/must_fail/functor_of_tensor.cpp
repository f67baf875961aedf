// expect: kroton: kt::functor takes a function whose arguments and results are scalars
#include <kroton/kroton.hpp>
namespace kt = kroton;

constexpr auto f = kt::functor([](kt::var<float, 3> x) { return 2 * x; });  // <- here
