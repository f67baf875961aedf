// expect: kroton: a position or range lies outside its axis
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f = [](kt::var<float, 5> x) { return x[kt::rows(4, 2)]; };
auto g = kt::function(f);  // <- here
