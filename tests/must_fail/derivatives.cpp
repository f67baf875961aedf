// table: each marked line says its sentence
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;
inline constexpr struct other : kt::dim<other> {} other;

using real = kt::var<float, batch, 3>;
using line = kt::var<float, batch>;
using whole = kt::var<int, batch>;
using deep = kt::var<float, 2, 2, 2, 2, 2>;

// clang-format off
constexpr auto direction(real x, line v) { return kt::jvp(kt::exp(x), x, v); }  // <- a direction or gradient of one has its element type and extents
constexpr auto direction_number(real x) { return kt::jvp(kt::exp(x), x, 1.0f); }  // <- a direction or gradient of one has its element type and extents
constexpr auto directions(real x, line v) { return kt::jvp(kt::exp(x), std::tuple{x, v}, std::tuple{x}); }  // <- a direction or gradient of one has its element type and extents
constexpr auto integers(whole x) { return kt::jvp(x + x, x, x); }  // <- there is no gradient with respect to integers
constexpr auto arriving(real x, line v) { return kt::vjp(kt::exp(x), v, x); }  // <- a direction or gradient of one has its element type and extents
constexpr auto rank(deep x) { return kt::jacobian(kt::exp(x), x); }  // <- do not have the number of axes
constexpr auto jacobian_number(line x) { return kt::jacobian(3.0f, x); }  // <- derivatives are of floating-point expressions
constexpr auto hessian(line x) { return kt::hessian(kt::exp(x), x); }  // <- grad needs a scalar cost
constexpr auto product(line x, real v) { return kt::hvp(kt::sum(x), x, v); }  // <- a direction or gradient of one has its element type and extents
constexpr auto without(line x) { return kt::vmap<other>([](auto row) { return row; })(x); }  // <- lifts f over a named dimension that an operand has
constexpr auto number(whole x) { return kt::vmap<3>([](auto row) { return row; })(x); }  // <- lifts f over a named dimension that an operand has
constexpr auto returned(real x) { return kt::vmap<batch>([](auto) { return 1; })(x); }  // <- lifts f over a named dimension that an operand has
constexpr auto parameters(kt::var<float, batch, 5> x) { return kt::vmap<batch>([](auto row, auto other) { return row + other; })(x); }  // <- lifts f over a named dimension that an operand has
auto axes = kt::function([](kt::var<float, batch, 2, 2, 2, 2> x, kt::var<float, 2, 2, 2, 2> y) { return kt::vmap<batch>([&](auto row) { return kt::sum(kt::broadcast_to<2, 2, 2, 2, 2, 2, 2, 2>(row * y)); })(x); });  // <- lifts over a dimension, what a branch reads and what a loop draws has one axis more
auto independent = kt::function([](line x, line y) { return kt::jvp(kt::exp(x), y, y); });  // <- kt::grad with respect to a variable that the cost does not depend on
constexpr auto backward(real x) { return kt::custom_gradient([](auto y) { return y; }, [](auto g, auto) { return kt::sum(g); })(x); }  // <- backward gets the gradient of the value and the operands
constexpr auto backwards(real x, line y) { return kt::custom_gradient([](auto a, auto) { return a; }, [](auto g, auto, auto) { return g; })(x, y); }  // <- backward gets the gradient of the value and the operands
constexpr auto backward_parameters(kt::var<float, batch, 5> x) { return kt::custom_gradient([](auto y) { return y; }, [](auto g) { return g; })(x); }  // <- backward gets the gradient of the value and the operands
constexpr auto remat(real) { return kt::remat([](auto y) { return y; })(3.0f); }  // <- kt::remat(f)(x) take expressions
