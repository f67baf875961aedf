// table: each marked line says its sentence
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

using real = kt::var<float, batch, 3>;
using wide = kt::var<double, batch, 3>;
using whole = kt::var<int, batch, 3>;
namespace draw = kt::random;

// clang-format off
constexpr auto uniform(real x) { return x + draw::uniform<batch, 3>(); }  // <- take their element type and extents in angle brackets
constexpr auto uniform_bounds(real x) { return x * draw::uniform<float, batch, 3>(1); }  // <- take their element type and extents in angle brackets
constexpr auto uniform_type(whole x) { return x + draw::uniform<int, batch, 3>(); }  // <- does not take this element type
constexpr auto uniform_extents(real x) { return draw::uniform<float, 3>(x, x + 1); }  // <- extents of the operands do not match
constexpr auto uniform_mixed(real x, wide y) { return draw::uniform(x, y); }  // <- different element types
constexpr auto uniform_numbers(real x) { return x + draw::uniform(0, 1); }  // <- take their element type and extents in angle brackets
constexpr auto normal(whole x) { return draw::normal(x, 1); }  // <- does not take this element type
constexpr auto normal_extent(real x) { return x + draw::normal<float, batch, kt::any>(); }  // <- has extents that are numbers or named dimensions
constexpr auto normal_text(real x) { return x + draw::normal<float, batch, 3>("0", 1); }  // <- take their element type and extents in angle brackets
constexpr auto permutation(real x) { return x + draw::permutation<batch, 3>(); }  // <- a permutation is of one dimension
constexpr auto permutation_of_none(real x) { return x + draw::permutation<>(); }  // <- a permutation is of one dimension
constexpr auto permutation_type(real x) { return x + draw::permutation<int, batch>(); }  // <- a permutation is of one dimension
constexpr auto truncated(whole x) { return draw::truncated_normal(x, 1); }  // <- does not take this element type
constexpr auto truncated_bound(real x) { return draw::truncated_normal(x, 1, 0); }  // <- take their element type and extents in angle brackets
constexpr auto truncated_untyped(real x) { return x + draw::truncated_normal<batch, 3>(); }  // <- take their element type and extents in angle brackets
constexpr auto exponential(real x) { return x + draw::exponential<float, batch, 3>(1, 2); }  // <- take their element type and extents in angle brackets
constexpr auto poisson(whole x) { return draw::poisson(x); }  // <- does not take this element type
constexpr auto poisson_untyped(real x) { return x + draw::poisson<batch, 3>(0.5); }  // <- take their element type and extents in angle brackets
constexpr auto poisson_of_bool(real x) { return kt::where(draw::poisson<bool, batch, 3>(0.5), x, 0); }  // <- does not take this element type
constexpr auto poisson_without_rate(real x) { return x + draw::poisson<float, batch, 3>(); }  // <- take their element type and extents in angle brackets
constexpr auto poisson_number(real x) { return x + draw::poisson(3); }  // <- take their element type and extents in angle brackets
constexpr auto poisson_element(real x) { return x + draw::poisson<double*, batch, 3>(0.5); }  // <- not an element type
constexpr auto binomial(real x) { return draw::binomial(x); }  // <- take their element type and extents in angle brackets
constexpr auto binomial_type(whole x) { return draw::binomial(x, x); }  // <- does not take this element type
constexpr auto binomial_extents(real x, kt::var<float, 4> p) { return draw::binomial(x, p); }  // <- extents of the operands do not match
constexpr auto binomial_of_none(real x) { return x + draw::binomial<float, batch, 3>(); }  // <- take their element type and extents in angle brackets
constexpr auto gamma(whole x) { return draw::gamma(x); }  // <- does not take this element type
constexpr auto gamma_of_integers(whole x) { return x + draw::gamma<int, batch, 3>(2); }  // <- does not take this element type
constexpr auto gamma_text(real x) { return draw::gamma(x, "1"); }  // <- take their element type and extents in angle brackets
constexpr auto multinomial(whole x) { return draw::multinomial<int>(3, x); }  // <- does not take this element type
constexpr auto multinomial_number(real x) { return x * draw::multinomial<float>(3, 0.5); }  // <- an operand is not an expression
constexpr auto multinomial_scalar(kt::var<float> x) { return draw::multinomial(3, x); }  // <- number of axes
constexpr auto multinomial_extents(real x, kt::var<int, 4> count) { return draw::multinomial(count, x); }  // <- extents of the operands do not match
constexpr auto multinomial_text(real x) { return draw::multinomial("3", x); }  // <- an operand is not an expression
constexpr auto multinomial_of_bool(real x) { return draw::multinomial<bool>(3, x); }  // <- does not take this element type
constexpr auto integers(real x) { return draw::integers(x, x + 1); }  // <- does not take this element type
constexpr auto integers_without_bounds(whole x) { return x + draw::integers<int, batch, 3>(); }  // <- take their element type and extents in angle brackets
constexpr auto bernoulli(real x) { return kt::where(draw::bernoulli<batch, 3>(0.5), x, 0); }  // <- take their element type and extents in angle brackets
constexpr auto bernoulli_type(whole x) { return draw::bernoulli(x); }  // <- does not take this element type
constexpr auto bernoulli_element(real x) { return x + draw::bernoulli<long double, batch, 3>(0.5); }  // <- not an element type
constexpr auto categorical(whole x) { return draw::categorical(x); }  // <- does not take this element type
constexpr auto categorical_rank(real x) { return draw::categorical<7>(x); }  // <- number of axes
constexpr auto categorical_number(real x) { return x * draw::categorical(0.5); }  // <- an operand is not an expression
constexpr auto choice(kt::var<float> x) { return draw::choice<3>(x); }  // <- number of axes
constexpr auto dropout(whole x) { return kt::nn::dropout(x, 0.5); }  // <- does not take this element type
constexpr auto dropout_probability(real x) { return kt::nn::dropout(x, x); }  // <- a probability is a number from 0 to 1
constexpr auto dropout_number(real x) { return x + kt::nn::dropout(0.5, 0.5); }  // <- an operand is not an expression
auto frozen = kt::function([](real x) { return kt::outputs(x).no_default_updates(x); });  // <- no_default_updates takes shared variables
auto empty = kt::function([](whole x) { return x + draw::integers<int, batch, 3>(5, 5); });  // <- no integer is
auto narrow = kt::function([](kt::var<std::int8_t> x) { return x + draw::integers<std::int8_t>(0, 129); });  // <- does not fit int8
auto chance = kt::function([](real x) { return kt::nn::dropout(x, 1.5); });  // <- a probability is a number from 0 to 1
auto coin = kt::function([](real x) { return x + draw::bernoulli<float, batch, 3>(1.5); });  // <- a probability is a number from 0 to 1
auto deviation = kt::function([](real x) { return x + draw::normal<float, batch, 3>(0, -1); });  // <- a standard deviation is not negative
auto truncations = kt::function([](real x) { return draw::truncated_normal(x, -0.5, 0, 1); });  // <- a standard deviation is not negative
auto second = kt::function([](real x) { return kt::grad(kt::sum(kt::grad(kt::sum(draw::gamma(x)), x)), x); });  // <- through an operation that has no derivative
// clang-format on
int main() {}
