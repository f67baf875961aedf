// This header declares the public elementwise functions, so that derivatives can name any of them.
#pragma once

#include <kroton/graph/term.hpp>

namespace kroton {

namespace ops {
namespace kt = kroton;  // inside ops, `exp` is the operation and `kt::exp` the function

struct abs;
struct acos;
struct acosh;
struct asin;
struct asinh;
struct atan;
struct atanh;
struct ceil;
struct cos;
struct cosh;
struct erf;
struct erfc;
struct exp;
struct exp2;
struct expm1;
struct floor;
struct isinf;
struct isnan;
struct log;
struct log10;
struct log1p;
struct log2;
struct maximum;
struct minimum;
struct pow;
struct round;
struct sigmoid;
struct sign;
struct sin;
struct sinh;
struct softplus;
struct sqr;
struct sqrt;
struct tan;
struct tanh;
struct trunc;
struct where;
}  // namespace ops

// what derivatives of shape-changing operations record
constexpr term cast(term x, dtype type);

namespace graph {
constexpr term reshape_term(term x, const shape& target);
}  // namespace graph

template <tensor_like X>
constexpr mapped<ops::abs, X> abs(const X& x);
template <tensor_like X>
constexpr mapped<ops::acos, X> acos(const X& x);
template <tensor_like X>
constexpr mapped<ops::acosh, X> acosh(const X& x);
template <tensor_like X>
constexpr mapped<ops::asin, X> asin(const X& x);
template <tensor_like X>
constexpr mapped<ops::asinh, X> asinh(const X& x);
template <tensor_like X>
constexpr mapped<ops::atan, X> atan(const X& x);
template <tensor_like X>
constexpr mapped<ops::atanh, X> atanh(const X& x);
template <tensor_like X>
constexpr mapped<ops::ceil, X> ceil(const X& x);
template <tensor_like X>
constexpr mapped<ops::cos, X> cos(const X& x);
template <tensor_like X>
constexpr mapped<ops::cosh, X> cosh(const X& x);
template <tensor_like X>
constexpr mapped<ops::erf, X> erf(const X& x);
template <tensor_like X>
constexpr mapped<ops::erfc, X> erfc(const X& x);
template <tensor_like X>
constexpr mapped<ops::exp, X> exp(const X& x);
template <tensor_like X>
constexpr mapped<ops::exp2, X> exp2(const X& x);
template <tensor_like X>
constexpr mapped<ops::expm1, X> expm1(const X& x);
template <tensor_like X>
constexpr mapped<ops::floor, X> floor(const X& x);
template <tensor_like X>
constexpr mapped<ops::isinf, X> isinf(const X& x);
template <tensor_like X>
constexpr mapped<ops::isnan, X> isnan(const X& x);
template <tensor_like X>
constexpr mapped<ops::log, X> log(const X& x);
template <tensor_like X>
constexpr mapped<ops::log10, X> log10(const X& x);
template <tensor_like X>
constexpr mapped<ops::log1p, X> log1p(const X& x);
template <tensor_like X>
constexpr mapped<ops::log2, X> log2(const X& x);
template <tensor_like X, tensor_like Y>
constexpr mapped<ops::maximum, X, Y> maximum(const X& x, const Y& y);
template <tensor_like X, tensor_like Y>
constexpr mapped<ops::minimum, X, Y> minimum(const X& x, const Y& y);
template <tensor_like X, tensor_like Y>
constexpr mapped<ops::pow, X, Y> pow(const X& x, const Y& y);
template <tensor_like X>
constexpr mapped<ops::round, X> round(const X& x);
template <tensor_like X>
constexpr mapped<ops::sigmoid, X> sigmoid(const X& x);
template <tensor_like X>
constexpr mapped<ops::sign, X> sign(const X& x);
template <tensor_like X>
constexpr mapped<ops::sin, X> sin(const X& x);
template <tensor_like X>
constexpr mapped<ops::sinh, X> sinh(const X& x);
template <tensor_like X>
constexpr mapped<ops::softplus, X> softplus(const X& x);
template <tensor_like X>
constexpr mapped<ops::sqr, X> sqr(const X& x);
template <tensor_like X>
constexpr mapped<ops::sqrt, X> sqrt(const X& x);
template <tensor_like X>
constexpr mapped<ops::tan, X> tan(const X& x);
template <tensor_like X>
constexpr mapped<ops::tanh, X> tanh(const X& x);
template <tensor_like X>
constexpr mapped<ops::trunc, X> trunc(const X& x);
template <tensor_like C, tensor_like X, tensor_like Y>
constexpr mapped<ops::where, C, X, Y> where(const C& condition, const X& x, const Y& y);

}  // namespace kroton
