// table: each marked line says its sentence
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

using real = kt::var<float, batch, 3>;
using whole = kt::var<int, batch, 3>;
using truth = kt::var<bool, batch, 3>;
using line = kt::var<float, batch>;

// clang-format off
constexpr auto flip(real x) { return kt::flip(x, kt::axis<2>); }  // <- there is no such axis
constexpr auto flip_twice(real x) { return kt::flip(x, kt::axis<0, -2>); }  // <- an axis is named twice
constexpr auto flip_number() { return kt::flip(3, kt::axis<0>); }  // <- an operand is not an expression
constexpr auto roll(real x) { return kt::roll(x, 1); }  // <- axes are written kt::axis<0>
constexpr auto tile(real x) { return kt::tile<2>(x); }  // <- do not have the number of axes
constexpr auto tile_less(line x) { return kt::tile<-2>(x); }  // <- take numbers that are not negative
constexpr auto repeat(real x) { return kt::repeat<-1>(x, kt::axis<0>); }  // <- take numbers that are not negative
constexpr auto split(real x) { return kt::split<2>(x, kt::axis<1>); }  // <- divides an axis into parts of one length
constexpr auto split_none(real x) { return kt::split<0>(x, kt::axis<1>); }  // <- kt::split a number of parts above 0
constexpr auto diff(truth x) { return kt::diff(x, kt::axis<0>); }  // <- does not take this element type
constexpr auto diff_none(kt::var<float, 0> x) { return kt::diff(x); }  // <- there is no first element
constexpr auto diag(kt::var<float, 2, 3, 4> x) { return kt::diag(x); }  // <- do not have the number of axes
constexpr auto trace(line x) { return kt::trace(x); }  // <- do not have the number of axes
constexpr auto tril(line x) { return kt::tril(x); }  // <- do not have the number of axes
constexpr auto triu(line x) { return kt::triu<1>(x); }  // <- do not have the number of axes
constexpr auto fill_diagonal(line x) { return kt::fill_diagonal(x, 1); }  // <- do not have the number of axes
constexpr auto outer(real x, line y) { return kt::outer(x, y); }  // <- do not have the number of axes
constexpr auto kron(line x, kt::var<float, 2, 3, 4> y) { return kt::kron(x, y); }  // <- do not have the number of axes
constexpr auto tensordot(real x, real y) { return kt::tensordot(x, y, kt::axis<1>, kt::axis<0, 1>); }  // <- do not have the number of axes
constexpr auto tensordot_extents(real x, real y) { return kt::tensordot(x, y, kt::axis<1>, kt::axis<0>); }  // <- extents of the operands do not match
constexpr auto tensordot_type(whole x, whole y) { return kt::tensordot(x, y, kt::axis<1>, kt::axis<1>); }  // <- does not take this element type
constexpr auto pad(real x) { return kt::pad<-1, 2>(x, kt::axis<0>); }  // <- take numbers that are not negative
constexpr auto pad_axis(real x) { return kt::pad<1, 2>(x, kt::axis<3>); }  // <- there is no such axis
constexpr auto pad_mean(whole x) { return kt::pad<1, 2>(x, kt::axis<1>, kt::pad_mean); }  // <- does not take this element type
constexpr auto pad_text(real x) { return kt::pad<1, 2>(x, kt::axis<1>, "edge"); }  // <- takes a number as its last argument, or a mode
constexpr auto argsort(real x) { return kt::argsort(x); }  // <- axes are written kt::axis<0>
constexpr auto argsort_type(truth x) { return kt::argsort(x, kt::axis<1>); }  // <- does not take this element type
constexpr auto sort(real x) { return kt::sort(x, kt::axis<2>, kt::descending); }  // <- there is no such axis
constexpr auto topk(real x) { return kt::topk<4>(x, kt::axis<1>).values; }  // <- lies outside its axis
constexpr auto take_along(real x, real i) { return kt::take_along(x, i, kt::axis<1>); }  // <- does not take this element type
constexpr auto take_along_extents(real x, kt::var<int, 4, 4> i) { return kt::take_along(x, i, kt::axis<0>); }  // <- extents of the operands do not match
constexpr auto searchsorted(real x, line y) { return kt::searchsorted(x, y); }  // <- do not have the number of axes
constexpr auto bincount(real x) { return kt::bincount<4>(x); }  // <- does not take this element type
