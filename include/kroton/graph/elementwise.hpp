// This header has the base of elementwise operations: their type rule, and their value in double, which it makes of the
// operation's `apply`.
#pragma once

#include <kroton/config.hpp>
#include <kroton/graph/backprop.hpp>
#include <kroton/graph/ops/fwd.hpp>
#include <kroton/arithmetic/scalar_normal.hpp>

#include <cmath>
#include <utility>

namespace kroton {

namespace graph {
/// The low bits of `bits` as the integer `type` has them, in 64 bits; of uint64 these are its bits.
constexpr std::int64_t wrapped(dtype type, std::int64_t bits) {
  switch (type) {
    case dtype::boolean: return bits != 0;
    case dtype::int8: return static_cast<std::int8_t>(bits);
    case dtype::int16: return static_cast<std::int16_t>(bits);
    case dtype::int32: return static_cast<std::int32_t>(bits);
    case dtype::uint8: return static_cast<std::uint8_t>(bits);
    case dtype::uint16: return static_cast<std::uint16_t>(bits);
    case dtype::uint32: return static_cast<std::uint32_t>(bits);
    default: return bits;
  }
}
/// The double nearest to what `wrapped` gives.
constexpr double nearest_double(dtype type, std::int64_t bits) {
  return type == dtype::uint64 ? static_cast<double>(static_cast<std::uint64_t>(bits)) : static_cast<double>(bits);
}
}  // namespace graph

/// Base of elementwise operations: `struct cube : kt::elementwise<cube, 1, kt::operands::numeric> { ... };`.
template <class Op, int Arity, operands Accepts>
struct elementwise {
  static constexpr graph::op_kind kind = graph::op_kind::map;
  static constexpr int arity = Arity;
  static constexpr operands takes = Accepts;

  static constexpr bool types_agree(const dtype* types, int count) { return graph::all_equal(types, count); }
  static constexpr dtype result(const dtype* types, int) { return types[0]; }
  /// The value of floating-point numbers and of bool, in double.
  static constexpr double reference(dtype type, const double* x, int) {
    if (type == dtype::boolean) return evaluate<double, bool>(x, std::make_integer_sequence<int, Arity>{});
    return evaluate<double, double>(x, std::make_integer_sequence<int, Arity>{});
  }
  /// The value of integers, exactly; `type` is theirs. Bits that an element of the result does not have are to be
  /// dropped.
  static constexpr std::int64_t integer_reference(dtype type, const std::int64_t* x, int) {
    if (is_unsigned(type)) return evaluate<std::int64_t, std::uint64_t>(x, std::make_integer_sequence<int, Arity>{});
    return evaluate<std::int64_t, std::int64_t>(x, std::make_integer_sequence<int, Arity>{});
  }

 protected:
  template <class Result, class T, class X, int... I>
  static constexpr Result evaluate(const X* x, std::integer_sequence<int, I...>) {
    if constexpr (graph::accepts(Accepts, dtype_of<T>)) return static_cast<Result>(Op::apply(static_cast<T>(x[I])...));
    else return 0;
  }
};

/// Base of comparisons: bool out.
template <class Op>
struct comparison : elementwise<Op, 2, operands::any> {
  static constexpr int cost = 1;
  static constexpr bool foldable = true;
  static constexpr dtype result(const dtype*, int) { return dtype::boolean; }
};

}  // namespace kroton
