// expect: kroton: a call of a compiled function changes the memory that it keeps for the next call
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct n : kt::dim<n> {} n;

struct predictor {
  decltype(kt::function([](kt::var<float, n> x) { return 2 * x; })) f;
  auto predict(const kt::tensor<float, 1>& x) const { return f(x); }  // <- here
};
