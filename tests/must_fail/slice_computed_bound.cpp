// expect: kroton: a range of indices lies outside its axis
#include <kroton/expr/capture.hpp>
#include <kroton/expr/diagnose.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f = [](kt::var<float, batch> x, kt::var<int> i) { return x[kt::rows(0, i + 1)]; };
template struct kt::diagnosed<kt::captured<kt::lambda_function<decltype(f)>>::value.problem>;  // <- here
