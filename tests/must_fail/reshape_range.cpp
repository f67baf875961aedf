// expect: kroton: reshape must keep the number of elements, which turns out to be another
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, 5> x) { return kt::reshape<2, 2>(x[kt::rows(0, 3)]); });  // <- here
