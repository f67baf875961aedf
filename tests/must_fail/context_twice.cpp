// expect: kroton: two contexts of the function have the same name, to which one device is mapped
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;
namespace one {
inline constexpr struct dev0 : kt::context_name<dev0> {} dev0;
}  // namespace one
namespace other {
inline constexpr struct dev0 : kt::context_name<dev0> {} dev0;
}  // namespace other

constexpr auto sum = [](kt::var<float, batch> x) { return kt::transfer<one::dev0>(x) + kt::transfer<other::dev0>(x); };
auto f = kt::function(sum);  // <- here
