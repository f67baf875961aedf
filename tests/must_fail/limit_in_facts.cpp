// expect: kroton: the function is so large that a limit of the compiler on constant evaluation ends it; these flags raise the limit
// flags of gcc: -fconstexpr-ops-limit=900000
// flags of clang: -fconstexpr-steps=57000
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct deep : kt::model {
  constexpr auto apply(kt::var<float, batch, 64> x) const {
    for (int i = 0; i < 40; ++i)
      x = x + kt::sum(kt::exp(x), kt::axis<1>, kt::keep_dims) * kt::sum(kt::tanh(x), kt::axis<0>);
    return x;
  }
};
static_assert(kt::peak_bytes<&deep::apply>(batch(8)) < 1 << 20);  // <- here
