// This header has the type rules of elementwise operations on expressions and numbers.
#pragma once

#include <kroton/expr/check.hpp>
#include <kroton/expr/expr.hpp>

namespace kroton::typed {

template <class X>
struct operand_traits {  // a number
  static constexpr bool is_literal = true, is_known = true;
  static constexpr dtype type = std::is_same_v<X, bool> ? dtype::boolean
                                : std::is_integral_v<X> ? dtype::int64
                                                        : dtype::float64;
  using extents_type = extents<>;
  using expression = X;
};
template <expression X>
struct operand_traits<X> {
  static constexpr bool is_literal = false, is_known = is_element<typename X::element>;
  static constexpr dtype type = dtype_of<typename X::element>;
  using extents_type = typename X::extents_type;
  using expression = typename X::expression;
};

/// The type of an operand as messages show it.
template <class X>
using shown = typename operand_traits<X>::expression;

/// Whether `X` is a number, or a scalar with the element type of `Beside`.
template <class Beside, class X>
constexpr bool is_scalar_beside() {
  if constexpr (expression<X>) return X::rank == 0 && std::is_same_v<typename X::element, typename Beside::element>;
  else return literal<X>;
}

/// The result type of elementwise `Op` on operands `X...`, and what is wrong with them.
template <class Op, class... X>
struct map_rule {
  static constexpr int count = sizeof...(X);
  struct outcome {
    shape extents;
    dtype type = dtype::boolean;
    complaint problem = complaint::none;
  };
  static constexpr outcome infer() {
    const bool literals[] = {operand_traits<X>::is_literal...};
    dtype types[] = {operand_traits<X>::type...};
    const shape shapes[] = {shape_of_type<typename operand_traits<X>::extents_type>...};
    outcome result;
    // a number takes the element type of the tensors beside it
    dtype common = dtype::boolean;
    for (int i = 0; i < count; ++i)
      if (!literals[i] && (types[i] != dtype::boolean || common == dtype::boolean)) common = types[i];
    for (int i = 0; i < count; ++i) {
      if (!literals[i]) continue;
      if (is_floating(types[i]) && !is_floating(common)) result.problem = complaint::literal;
      types[i] = common;
    }
    typed_extents table;
    for (int i = 0; i < count; ++i) {
      if (!accepts(Op::takes, types[i]))
        result.problem = Op::takes == operands::boolean ? complaint::truth_values : complaint::type;
      result.extents = i == 0 ? shapes[0] : broadcast_shape(table, result.extents, shapes[i], Op::name);
    }
    if constexpr (requires { Op::selects; }) {
      if (literals[1] && literals[2]) result.problem = complaint::selection;
      else if (types[0] != dtype::boolean || literals[0]) result.problem = complaint::condition;
    }
    if (result.problem == complaint::none && !Op::types_agree(types, count)) result.problem = complaint::mixed_types;
    if (result.problem == complaint::none && table.mismatch) result.problem = complaint::extents;
    if (!(operand_traits<X>::is_known && ...)) result.problem = complaint::said;
    result.type = Op::result(types, count);
    return result;
  }
  static constexpr outcome value = infer();
  using type =
      expr<element_t<value.type>,
           typename extents_of_shape<value.extents,
                                     typename joined<typename operand_traits<X>::extents_type...>::type>::type>;
};

}  // namespace kroton::typed
