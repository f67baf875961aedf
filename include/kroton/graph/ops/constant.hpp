// Numbers in the graph.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
/// attr.a: the value as int64 for integers and bool, else the bits of the double nearest to it.
struct constant {
  static constexpr op_kind kind = op_kind::constant;
  static constexpr const char* name = "constant";
};
}  // namespace ops

/// `value` rounded to `type`, as a double.
constexpr double rounded(dtype type, double value) {
  if (type == dtype::float32) return static_cast<double>(static_cast<float>(value));
  if (type == dtype::float16) return static_cast<double>(static_cast<float>(half(value)));
  if (type == dtype::bfloat16) return static_cast<double>(static_cast<float>(bfloat16(value)));
  if (type == dtype::float64) return value;
  return type == dtype::boolean ? (value != 0 ? 1.0 : 0.0) : static_cast<double>(static_cast<std::int64_t>(value));
}

/// An integer or truth value of `from`, in 64 bits, rounded to the floating-point `to` as kernels convert it: once, and of
/// 16-bit floats through float.
constexpr double rounded_integer(dtype from, dtype to, std::int64_t bits) {
  if (to == dtype::float64) return nearest_double(from, bits);
  const float single = from == dtype::uint64 ? static_cast<float>(static_cast<std::uint64_t>(bits)) : static_cast<float>(bits);
  return rounded(to, static_cast<double>(single));
}

constexpr term constant_of_bits(graph& g, dtype type, std::int64_t bits) {
  return graph_layer::record<ops::constant>(g, type, {}, {bits, 0, 0}, nullptr, 0);
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
  return is_floating(n.type) ? std::bit_cast<double>(n.attr.a) : nearest_double(n.type, n.attr.a);
}

/// A number as a scalar of `type`.
template <literal X>
constexpr term constant_of(graph& g, dtype type, X x) {
  if constexpr (std::is_integral_v<X>) {
    if (type != dtype::boolean && !is_floating(type))  // exact also where doubles are not; wraps around as the type does
      return constant_of_bits(g, type, with_element(type, [&]<class T>() -> std::int64_t {
        if constexpr (std::is_integral_v<T>) return static_cast<std::int64_t>(static_cast<T>(x));
        else return 0;
      }));
  }
  return constant(g, type, static_cast<double>(x));
}
template <literal X>
constexpr term graph_layer::as_term(graph& g, dtype type, X x) {
  return constant_of(g, type, x);
}

}  // namespace kroton
