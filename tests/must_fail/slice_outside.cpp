// expect: kroton: a range of indices lies outside its axis
#include <kroton/expr/capture.hpp>
#include <kroton/expr/diagnose.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f = [](kt::var<float, 5> x) { return x[kt::rows(2, 6)]; };
template struct kt::diagnosed<kt::captured<kt::lambda_function<decltype(f)>>::value.problem>;  // <- here
