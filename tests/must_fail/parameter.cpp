// expect: kroton: the parameters of a compiled function are kt::var
#include <kroton/expr/capture.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto f = [](float x, kt::var<float, batch> y) { return y * x; };
constexpr auto nodes = kt::captured<kt::lambda_function<decltype(f)>>::size.nodes;  // <- here
