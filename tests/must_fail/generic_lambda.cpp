// expect: kroton: the parameters of a compiled function are kt::var<...>, not auto
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](auto x) { return x; });  // <- here
