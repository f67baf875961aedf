// expect: kroton: the function is so large that a limit of the compiler on constant evaluation ends it; these flags raise the limit
// flags of gcc: -fconstexpr-ops-limit=900000
// flags of clang: -fconstexpr-steps=57000
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, batch, 64> x) {  // <- here
  for (int i = 0; i < 40; ++i)
    x = x + kt::sum(kt::exp(x), kt::axis<1>, kt::keep_dims) * kt::sum(kt::tanh(x), kt::axis<0>);
  return x;
});
