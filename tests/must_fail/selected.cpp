// table: each marked line says its sentence
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;
inline constexpr struct other : kt::dim<other> {} other;

using real = kt::var<float, batch, 3>;
using line = kt::var<float, batch>;
using whole = kt::var<int, batch>;
using truth = kt::var<bool, batch>;

// clang-format off
constexpr auto set(real x, line y) { return kt::set(x, 0, y); }  // <- the extents of the operands do not match
constexpr auto set_type(real x, kt::var<double, 3> y) { return kt::set(x, 0, y); }  // <- the operands have different element types
constexpr auto set_number(whole x) { return kt::set(x, 0, 0.5); }  // <- a number with a fraction beside a tensor of integers
constexpr auto set_part(real x) { return kt::set(x, "0", 1); }  // <- brackets take a position
constexpr auto set_float(line x) { return kt::set(x, x, 1); }  // <- brackets take a position
constexpr auto set_many(line x, whole i) { return kt::set(x, std::tuple{i, i}, 1); }  // <- change a part that is named as in brackets
constexpr auto inc(truth x, whole i) { return kt::inc(x, i, true); }  // <- does not take this element type
constexpr auto along_type(real x, kt::var<float, batch, 2> i) { return kt::set_along(x, i, 1, kt::axis<1>); }  // <- does not take this element type
constexpr auto along_rank(real x, whole i) { return kt::inc_along(x, i, 1, kt::axis<1>); }  // <- do not have the number of axes
constexpr auto along_extents(real x, kt::var<int, other, 3> i) { return kt::inc_along(x, i, 1, kt::axis<1>); }  // <- the extents of the operands do not match
constexpr auto along_values(real x, kt::var<int, batch, 2> i, line y) { return kt::set_along(x, i, y, kt::axis<1>); }  // <- the extents of the operands do not match
constexpr auto along_axis(real x, kt::var<int, batch, 2> i) { return kt::set_along(x, i, 1); }  // <- axis
constexpr auto along_bool(kt::var<bool, batch, 3> x, kt::var<int, batch, 2> i) { return kt::inc_along(x, i, true, kt::axis<1>); }  // <- does not take this element type
constexpr auto take_type(real x, line i) { return kt::take(x, std::tuple{i}); }  // <- does not take this element type
constexpr auto take_extents(real x, whole i, kt::var<int, other> j) { return kt::take(x, std::tuple{i, j}); }  // <- the extents of the operands do not match
constexpr auto take_axis(real x, whole i) { return kt::take(x, i, kt::axis<2>); }  // <- there is no such axis
constexpr auto nonzero(line x) { return kt::nonzero<3>(x).index; }  // <- a condition or a mask is a tensor of bool
constexpr auto compress(kt::var<float, other> x, truth m) { return kt::compress<3>(x, m).values; }  // <- the extents of the operands do not match
constexpr auto compress_less(line x, truth m) { return kt::compress<-3>(x, m).values; }  // <- take numbers that are not negative
constexpr auto partition(line x) { return kt::partition(x, x).values; }  // <- a condition or a mask is a tensor of bool
constexpr auto partition_extents(kt::var<float, other> x, truth m) { return kt::partition(x, m).values; }  // <- the extents of the operands do not match
constexpr auto run_lengths(truth x) { return kt::run_lengths<3>(x).values; }  // <- does not take this element type
constexpr auto isin(line x, whole y) { return kt::isin(x, y); }  // <- the operands have different element types
constexpr auto set_union(line x, real y) { return kt::set_union<3>(x, y).values; }  // <- do not have the number of axes
constexpr auto set_intersection(real x, line y) { return kt::set_intersection<3>(x, y).values; }  // <- do not have the number of axes
constexpr auto set_difference(line x, line y) { return kt::set_difference<-1>(x, y).values; }  // <- take numbers that are not negative
constexpr auto unique(real x) { return kt::unique<3>(x).values; }  // <- do not have the number of axes
constexpr auto unique_less(line x) { return kt::unique<-3>(x).values; }  // <- take numbers that are not negative
constexpr auto einsum(real x) { return kt::einsum<"i->i">(x); }  // <- has a letter for each axis of each operand
constexpr auto einsum_result(line x) { return kt::einsum<"i->k">(x); }  // <- has a letter for each axis of each operand
constexpr auto einsum_extents(real x, kt::var<float, 3, 3> y) { return kt::einsum<"ij,ik->jk">(x, y); }  // <- the extents of the operands do not match
constexpr auto einsum_types(real x, kt::var<double, 3> y) { return kt::einsum<"ij,j->i">(x, y); }  // <- the operands have different element types
constexpr auto multi_dot(real x, kt::var<float, 2, 3, 3> y) { return kt::multi_dot(x, y); }  // <- do not have the number of axes
constexpr auto cumprod(truth x) { return kt::cumprod(x); }  // <- does not take this element type
constexpr auto logcumsumexp(whole x) { return kt::logcumsumexp(x); }  // <- does not take this element type
