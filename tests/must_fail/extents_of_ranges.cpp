// expect: kroton: the extents of operands with kt::any turn out to be different numbers
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, 5> x) { return x[kt::rows(0, 3)] + x[kt::rows(0, 2)]; });  // <- here
