// This header has the operation constant: numbers in the graph.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
/// Attributes: constant_form.
struct constant {
  static constexpr op_kind kind = op_kind::constant;
  static constexpr const char* name = "constant";
};
}  // namespace ops

namespace graph {
/// `value` rounded to `type`, as a double.
constexpr double rounded(dtype type, double value) {
  if (type == dtype::float32) return static_cast<double>(static_cast<float>(value));
  if (type == dtype::float16) return static_cast<double>(static_cast<float>(half(value)));
  if (type == dtype::bfloat16) return static_cast<double>(static_cast<float>(bfloat16(value)));
  if (type == dtype::float64) return value;
  return type == dtype::boolean ? (value != 0 ? 1.0 : 0.0) : static_cast<double>(static_cast<std::int64_t>(value));
}

/// An integer or truth value of `from`, in 64 bits, rounded to the floating-point `to` as kernels convert it: once, and
/// of 16-bit floats through float.
constexpr double rounded_integer(dtype from, dtype to, std::int64_t bits) {
  if (to == dtype::float64) return nearest_double(from, bits);
  const float single =
      from == dtype::uint64 ? static_cast<float>(static_cast<std::uint64_t>(bits)) : static_cast<float>(bits);
  return rounded(to, static_cast<double>(single));
}

/// The largest number of an integer type.
constexpr std::uint64_t largest_integer(dtype type) {
  return ~std::uint64_t{} >> (64 - 8 * size_of(type) + (is_unsigned(type) ? 0 : 1));
}
/// Whether an element of `type` can hold an integer: one in its range, 0 or 1 of bool. Of a negative one, `bits` are
/// those of the int64.
constexpr bool holds_integer(dtype type, bool is_negative, std::uint64_t bits) {
  if (type == dtype::boolean) return !is_negative && bits <= 1;
  const std::uint64_t largest = largest_integer(type);
  return is_negative ? !is_unsigned(type) && ~bits <= largest : bits <= largest;
}
/// The least number that float16 rounds to infinity.
inline constexpr int infinite_half = 65520;
/// Whether an element of the floating-point `type` can hold a number: one that does not become infinite.
constexpr bool holds_real(dtype type, double x) {
  using limits = std::numeric_limits<double>;
  const double size = x < 0 ? -x : x, least = type == dtype::float16    ? infinite_half
                                              : type == dtype::bfloat16 ? 0x1.ffp127
                                              : type == dtype::float32  ? 0x1.ffffffp127
                                                                        : limits::infinity();
  return size > limits::max() || !(size >= least);
}
template <class X>
constexpr bool is_negative(X x) {
  if constexpr (std::is_signed_v<X>) return x < X(0);
  else return false;
}
/// Whether an element of `type` can hold a number.
template <literal X>
constexpr bool holds(dtype type, X x) {
  if constexpr (std::is_integral_v<X>)
    if (!is_floating(type)) return holds_integer(type, is_negative(x), static_cast<std::uint64_t>(x));
  if constexpr (std::is_same_v<X, long double>) {
    constexpr X largest = std::numeric_limits<double>::max(), infinity = std::numeric_limits<X>::infinity();
    if (const X size = x < 0 ? -x : x; size > largest && size != infinity) return false;
  }
  return holds_real(type, static_cast<double>(x));
}

constexpr term constant_of_bits(graph& g, dtype type, std::int64_t bits) {
  return graph_layer::record<ops::constant>(g, type, {}, constant_form{bits}, nullptr, 0);
}
/// A scalar constant, rounded as what is computed with it.
constexpr term constant(graph& g, dtype type, double value) {
  const double nearest = rounded(computed_in(type), value);
  return constant_of_bits(
      g, type, is_floating(type) ? std::bit_cast<std::int64_t>(nearest) : static_cast<std::int64_t>(nearest));
}

constexpr bool is_constant(term t) { return t.get().op->id == id_of<ops::constant>; }

/// The value of a constant node; of integers that doubles round, the nearest one.
constexpr double constant_value(const node& n) {
  return is_floating(n.type) ? std::bit_cast<double>(constant_form::of(n.attr).bits)
                             : nearest_double(n.type, constant_form::of(n.attr).bits);
}

/// A number as a scalar of `type`. One that an element of `holder` cannot hold is reported, with the operation that it
/// is written in.
template <literal X>
constexpr term constant_of(graph& g, dtype type, dtype holder, X x, const char* operation, unsigned line = 0) {
  if (!holds(holder, x)) {
    diagnosis found{.what = mistake::number, .line = line, .operation = operation, .type = holder};
    if constexpr (std::is_integral_v<X>)
      if (holds(dtype::int64, x)) found.number = static_cast<std::int64_t>(x);
    g.report(found);
  }
  if constexpr (std::is_integral_v<X>)
    if (!is_floating(type))
      return constant_of_bits(g, type,
                              wrapped(type, static_cast<std::int64_t>(x)));  // exact also where doubles are not
  return constant(g, type, static_cast<double>(x));
}
template <literal X>
constexpr term graph_layer::as_term(graph& g, dtype type, X x, const char* operation) {
  return constant_of(g, type, computed_in(type), x, operation);
}
}  // namespace graph

}  // namespace kroton
