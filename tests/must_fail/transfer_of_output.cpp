// expect: kroton: a transfer is needed that is not written, which kt::policy::explicit_transfers does not allow
// says: told::operation<'o', 'u', 't', 'p', 'u', 't'>
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct dev0 : kt::context_name<dev0> {} dev0;

auto f = kt::function<kt::policy::explicit_transfers>([](kt::var<float, 3> x) {  // <- here
  return kt::exp(kt::transfer<dev0>(x));
});
