// expect: template argument for non-type template parameter must be an expression
// expect of gcc: template<class T, auto ...NumberOrDimensionObject>
// most: 15, because the compilers complain of the type first
#include <kroton/kroton.hpp>
namespace kt = kroton;
struct batch : kt::dim<batch> {};

auto f = kt::function([](kt::var<float, batch, 3> x) { return x * 2; });  // <- here
