// expect: kroton: the function cannot be evaluated while compiling
// most: 50, because the compiler adds where it stopped
// flags of gcc: -fconstexpr-ops-limit=1000000
// flags of clang: -fconstexpr-steps=100000
// says: or it is too large for the compiler's limit, which -fconstexpr-
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, batch> x) {  // <- here
  for (int i = 0; i < 1000; ++i) x = x + kt::exp(x) * i;
  return x;
});
