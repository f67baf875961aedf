// table: each marked line says its sentence
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

using real = kt::var<float, batch, 3>;
using whole = kt::var<int, batch, 3>;
using truth = kt::var<bool, batch, 3>;

// clang-format off
constexpr auto abs(truth x) { return kt::abs(x); }  // <- does not take this element type
constexpr auto acos(whole x) { return kt::acos(x); }  // <- does not take this element type
constexpr auto acosh(whole x) { return kt::acosh(x); }  // <- does not take this element type
constexpr auto add(real x, whole y) { return x + y; }  // <- different element types
constexpr auto all(real x) { return kt::all(x); }  // <- does not take this element type
constexpr auto any(real x) { return kt::any(x); }  // <- does not take this element type
constexpr auto argmax(real x) { return kt::argmax(x, kt::axis<2>); }  // <- no such axis
constexpr auto argmin(real x) { return kt::argmin(x, kt::axis<2>); }  // <- no such axis
constexpr auto asin(whole x) { return kt::asin(x); }  // <- does not take this element type
constexpr auto asinh(whole x) { return kt::asinh(x); }  // <- does not take this element type
constexpr auto atan(whole x) { return kt::atan(x); }  // <- does not take this element type
constexpr auto atan2(whole x) { return kt::atan2(x, x); }  // <- does not take this element type
constexpr auto atanh(whole x) { return kt::atanh(x); }  // <- does not take this element type
constexpr auto broadcast(real x) { return kt::broadcast_to<batch, 4>(x); }  // <- extents of the operands do not match
constexpr auto cast(real x) { return kt::cast<long double>(x); }  // <- not an element type
constexpr auto ceil(whole x) { return kt::ceil(x); }  // <- does not take this element type
constexpr auto concatenate(real x, whole y) { return kt::concatenate(kt::axis<0>, x, y); }  // <- different element types
constexpr auto cos(whole x) { return kt::cos(x); }  // <- does not take this element type
constexpr auto cosh(whole x) { return kt::cosh(x); }  // <- does not take this element type
constexpr auto cumsum(truth x) { return kt::cumsum(x, kt::axis<0>); }  // <- does not take this element type
constexpr auto div(real x, whole y) { return x / y; }  // <- different element types
constexpr auto dot(real x) { return kt::dot(x, x); }  // <- extents of the operands do not match
constexpr auto equal(real x, whole y) { return x == y; }  // <- different element types
constexpr auto erf(whole x) { return kt::erf(x); }  // <- does not take this element type
constexpr auto erfc(whole x) { return kt::erfc(x); }  // <- does not take this element type
constexpr auto exp(whole x) { return kt::exp(x); }  // <- does not take this element type
constexpr auto exp2(whole x) { return kt::exp2(x); }  // <- does not take this element type
constexpr auto expm1(whole x) { return kt::expm1(x); }  // <- does not take this element type
constexpr auto extent(real x) { return x * kt::extent<float>(7); }  // <- takes its extents in angle brackets
constexpr auto floor(whole x) { return kt::floor(x); }  // <- does not take this element type
constexpr auto floor_div(real x, whole y) { return kt::floor_div(x, y); }  // <- different element types
constexpr auto gelu(whole x) { return kt::nn::gelu(x); }  // <- does not take this element type
constexpr auto gelu_tanh(whole x) { return kt::nn::gelu_tanh(x); }  // <- does not take this element type
constexpr auto grad_clip(whole x) { return kt::grad_clip(x, -1, 1); }  // <- does not take this element type
constexpr auto grad_scale(whole x) { return kt::grad_scale(x, -1); }  // <- does not take this element type
constexpr auto greater(real x, whole y) { return x > y; }  // <- different element types
constexpr auto greater_equal(real x, whole y) { return x >= y; }  // <- different element types
constexpr auto isinf(whole x) { return kt::isinf(x); }  // <- does not take this element type
constexpr auto isnan(whole x) { return kt::isnan(x); }  // <- does not take this element type
constexpr auto less(real x, whole y) { return x < y; }  // <- different element types
constexpr auto less_equal(real x, whole y) { return x <= y; }  // <- different element types
constexpr auto log(whole x) { return kt::log(x); }  // <- does not take this element type
constexpr auto log10(whole x) { return kt::log10(x); }  // <- does not take this element type
constexpr auto log1p(whole x) { return kt::log1p(x); }  // <- does not take this element type
constexpr auto log2(whole x) { return kt::log2(x); }  // <- does not take this element type
constexpr auto log_erfc(whole x) { return kt::log_erfc(x); }  // <- does not take this element type
constexpr auto logical_and(real x) { return x && x; }  // <- take tensors of bool
constexpr auto logical_not(real x) { return !x; }  // <- take tensors of bool
constexpr auto logical_or(real x) { return x || x; }  // <- take tensors of bool
constexpr auto logical_xor(real x) { return x ^ x; }  // <- take tensors of bool
constexpr auto max(truth x) { return kt::max(x); }  // <- does not take this element type
constexpr auto maximum(real x, whole y) { return kt::maximum(x, y); }  // <- different element types
constexpr auto min(truth x) { return kt::min(x); }  // <- does not take this element type
constexpr auto minimum(real x, whole y) { return kt::minimum(x, y); }  // <- different element types
constexpr auto mod(real x, whole y) { return kt::mod(x, y); }  // <- different element types
constexpr auto mul(real x, whole y) { return x * y; }  // <- different element types
constexpr auto neg(truth x) { return -x; }  // <- does not take this element type
constexpr auto normal_cdf(whole x) { return kt::normal_cdf(x); }  // <- does not take this element type
constexpr auto normal_pdf(whole x) { return kt::normal_pdf(x); }  // <- does not take this element type
constexpr auto normal_quantile(whole x) { return kt::normal_quantile(x); }  // <- does not take this element type
constexpr auto not_equal(real x, whole y) { return x != y; }  // <- different element types
constexpr auto permute(real x) { return kt::permute<0, 2>(x); }  // <- no such axis
constexpr auto pow(real x, whole y) { return kt::pow(x, y); }  // <- does not take this element type
constexpr auto prod(truth x) { return kt::prod(x); }  // <- does not take this element type
constexpr auto rem(real x, whole y) { return kt::rem(x, y); }  // <- different element types
constexpr auto reshape(kt::var<float, 2, 3> x) { return kt::reshape<7>(x); }  // <- must keep the number of elements
constexpr auto round(whole x) { return kt::round(x); }  // <- does not take this element type
constexpr auto sigmoid(whole x) { return kt::sigmoid(x); }  // <- does not take this element type
constexpr auto sign(truth x) { return kt::sign(x); }  // <- does not take this element type
constexpr auto sin(whole x) { return kt::sin(x); }  // <- does not take this element type
constexpr auto sinh(whole x) { return kt::sinh(x); }  // <- does not take this element type
constexpr auto softplus(whole x) { return kt::softplus(x); }  // <- does not take this element type
constexpr auto sqr(truth x) { return kt::sqr(x); }  // <- does not take this element type
constexpr auto sqrt(whole x) { return kt::sqrt(x); }  // <- does not take this element type
constexpr auto sub(real x, whole y) { return x - y; }  // <- different element types
constexpr auto sum(truth x) { return kt::sum(x); }  // <- does not take this element type
constexpr auto take(real x) { return kt::take(x, x); }  // <- does not take this element type
constexpr auto tan(whole x) { return kt::tan(x); }  // <- does not take this element type
constexpr auto tanh(whole x) { return kt::tanh(x); }  // <- does not take this element type
constexpr auto transfer(real x) { return kt::transfer<3>(x); }  // <- a place is kt::host, kt::home
constexpr auto trunc(whole x) { return kt::trunc(x); }  // <- does not take this element type
constexpr auto where(real x, whole y) { return kt::where(x > 0, x, y); }  // <- different element types
// clang-format on
