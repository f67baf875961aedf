// expect: kroton: the name of a context must not begin with cpu, cuda, gpu or opencl in any spelling, and must not be host, home or session
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;
inline constexpr struct Gpu0 : kt::context_name<Gpu0> {} Gpu0;  // <- here

auto f = kt::function([](kt::var<float, batch> x) { return kt::transfer<Gpu0>(x); });
