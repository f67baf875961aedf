// This header has counts of several outcomes: kt::random::multinomial.
#pragma once

#include <kroton/expr/random.hpp>
#include <kroton/expr/rejection.hpp>
#include <kroton/graph/ops/multinomial.hpp>

namespace kroton {

namespace typed {
namespace distributions {
struct multinomial {
  static constexpr const char* name = "multinomial";
  static constexpr operands takes = operands::floating;
  static constexpr bool types_agree(const dtype*, int) { return true; }
  static constexpr dtype result(const dtype*, int) { return dtype::float64; }
};
}  // namespace distributions

/// The mistake in the operands of `multinomial<T>(count, weights)`.
template <class T, class Count, class P>
constexpr complaint multinomial_problem() {
  constexpr complaint of_weights = categorical_problem<P, true>();
  if constexpr (!(expression<Count> || literal<Count>)) return foreign_layer::problem<Count>;
  else if constexpr (of_weights != complaint::none) return of_weights;
  else if constexpr (!is_element<T>) return complaint::element;
  else if constexpr (!accepts(operands::numeric, dtype_of<T>)) return complaint::type;
  else if constexpr (!expression<Count>) return complaint::none;
  else if constexpr (Count::rank == max_rank) return complaint::rank;
  else return accepts(operands::numeric, dtype_of<typename Count::element>) ? complaint::none : complaint::type;
}
/// A count as an expression of double whose last axis has extent 1.
template <class Count>
constexpr auto column_of(graph& g, const Count& count) {
  if constexpr (literal<Count>) return expr<double, extents<>>(constant(g, dtype::float64, static_cast<double>(count)));
  else return typed_layer::with_axis<Count::rank>(kroton::cast<double>(count));
}
/// Counts in double, of a column of counts and weights.
template <class Column, class Weights>
constexpr auto draw_outcomes(const Column& column, const Weights& weights) {
  using distributions::multinomial;
  using rule = map_rule<multinomial, Column, Weights>;
  if constexpr (rule::value.problem != complaint::none) {
    reject<rule::value.problem, multinomial, shown<Column>, shown<Weights>>();
    return typed_layer::refused<typename rule::type>(column, weights);
  } else {
    graph& g = *typed_layer::graph_of(column, weights);
    const shape all = common_extents(g, multinomial::name, column, weights);
    shape rows, one_each = all;
    for (int axis = 0; axis + 1 < all.rank; ++axis) rows.append(all[axis]);
    one_each[all.rank - 1] = 1;
    const term counts = broadcast_term(typed_layer::term_in(g, column), one_each),
               shares = broadcast_term(typed_layer::term_in(g, weights), all);
    return typename rule::type(
        call_routine<ops::multinomial>(along_form{all.rank - 1}, draw_bits<64>(g, rows), counts, shares));
  }
}
}  // namespace typed

namespace random {

/// How many of `count` trials have each outcome along the last axis of `weights`, where each outcome has a probability
/// that is its share of the weights along that axis: `kt::random::multinomial<int>(100, weights)`. The counts of a row
/// add up to `count`, which is a number, or an expression that broadcasts with the other axes of the weights, and is
/// rounded down; up to 2^53 they do so exactly. Without an element type in brackets it is that of the weights. Weights
/// that are negative, infinite or NaN, or all 0, and such counts, give NaN, or 0 of integers. Gradients are zero.
template <class T = void, class Count, class P>
constexpr auto multinomial(const Count& count, const P& weights) {
  using typed::distributions::multinomial;
  using element = std::conditional_t<std::is_void_v<T>, typename typed::joined_element<P>::type, T>;
  constexpr typed::complaint problem = typed::multinomial_problem<element, Count, P>();
  if constexpr (problem != typed::complaint::none) {
    typed::reject<problem, multinomial, element, Count, P>();
    return typed::foreign_layer::stand_in<multinomial>(count, weights);
  } else {
    return cast<element>(
        typed::draw_outcomes(typed::column_of(*weights.untyped().owner, count), typed::in_double(weights)));
  }
}

}  // namespace random
}  // namespace kroton
