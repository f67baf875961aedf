// expect: kroton: sizes are known before a call only where extents are numbers or named dimensions, not kt::any or the value of an argument
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, batch, kt::any> x) { return kt::dot(kt::exp(x), kt::transpose(x)); });
auto plan = f.memory_plan(batch(10));  // <- here
