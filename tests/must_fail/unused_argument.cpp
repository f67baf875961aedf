// expect: kroton: the function does not use one of its arguments
#include <kroton/expr/capture.hpp>
#include <kroton/expr/diagnose.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f = [](kt::var<float, batch> x, kt::var<float>) { return x; };
template struct kt::diagnosed<kt::captured<kt::lambda_function<decltype(f)>>::value.problem>;  // <- here
