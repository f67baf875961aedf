// expect: kroton: kt::grad with respect to a variable that the cost does not depend on
#include <kroton/expr/capture.hpp>
#include <kroton/expr/diagnose.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f = [](kt::var<float, batch> x, kt::var<float> y) {
  return kt::outputs(kt::grad(kt::sum(x), y), x);
};
template struct kt::diagnosed<kt::captured<kt::lambda_function<decltype(f)>>::value.problem>;  // <- here
