// expect: kroton: there is no first element along axes that turn out to have extent 0
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, 5> x) { return kt::argmin(x[kt::rows(2, 2)]); });  // <- here
