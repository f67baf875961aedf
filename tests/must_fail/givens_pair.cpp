// expect: kroton: replacements are made by kt::given(x, y)
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float> x, kt::var<float> y) {
  return kt::outputs(x * y).givens(std::pair(x, y));  // <- here
});
