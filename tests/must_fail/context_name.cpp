// expect: kroton: the name of a context begins with none of cpu, cuda, gpu and opencl, however written, and is not host, home or session
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;
inline constexpr struct Gpu0 : kt::context_name<Gpu0> {} Gpu0;  // <- here

auto f = kt::function([](kt::var<float, batch> x) { return kt::transfer<Gpu0>(x); });
