// Base of elementwise operations: type rule and value in double, from the operation's `apply`.
#pragma once

#include <kroton/config.hpp>
#include <kroton/graph/backprop.hpp>
#include <kroton/graph/ops/fwd.hpp>
#include <kroton/kernel/simd/scalar.hpp>

#include <cmath>
#include <utility>

namespace kroton {

/// The integer `type` with the low bits of `bits`, as a double.
constexpr double wrapped(dtype type, std::uint64_t bits) {
  switch (type) {
    case dtype::int8: return static_cast<std::int8_t>(bits);
    case dtype::int16: return static_cast<std::int16_t>(bits);
    case dtype::int32: return static_cast<std::int32_t>(bits);
    case dtype::int64: return static_cast<double>(static_cast<std::int64_t>(bits));
    case dtype::uint8: return static_cast<std::uint8_t>(bits);
    case dtype::uint16: return static_cast<std::uint16_t>(bits);
    case dtype::uint32: return static_cast<std::uint32_t>(bits);
    default: return static_cast<double>(bits);
  }
}

template <class Op, int Arity, operands Accepts>
struct elementwise {
  static constexpr op_kind kind = op_kind::map;
  static constexpr int arity = Arity;
  static constexpr operands takes = Accepts;

  static constexpr bool types_agree(const dtype* types, int count) {
    for (int i = 1; i < count; ++i)
      if (types[i] != types[0]) return false;
    return true;
  }
  static constexpr dtype result(const dtype* types, int) { return types[0]; }
  static constexpr double reference(dtype type, const double* x, int) {
    if (type == dtype::boolean) return evaluate<bool>(type, x, std::make_integer_sequence<int, Arity>{});
    if (is_unsigned(type)) return evaluate<std::uint64_t>(type, x, std::make_integer_sequence<int, Arity>{});
    if (is_integer(type)) return evaluate<std::int64_t>(type, x, std::make_integer_sequence<int, Arity>{});
    return evaluate<double>(type, x, std::make_integer_sequence<int, Arity>{});
  }

 protected:
  template <class T, int... I>
  static constexpr double evaluate([[maybe_unused]] dtype type, const double* x, std::integer_sequence<int, I...>) {
    if constexpr (accepts(Accepts, dtype_of<T>)) {
      const auto value = Op::apply(static_cast<T>(x[I])...);
      using result_type = std::remove_cvref_t<decltype(value)>;
      if constexpr (std::is_integral_v<result_type> && !std::is_same_v<result_type, bool>)
        return wrapped(type, static_cast<std::uint64_t>(value));  // before a double rounds it
      else
        return static_cast<double>(value);
    } else {
      return 0;
    }
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
