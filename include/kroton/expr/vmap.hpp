// This header has kt::vmap, which lifts a function of expressions over a named dimension.
//
//     kt::vmap<batch>([&](auto row) { return kt::nn::softmax(kt::dot(row, W)); })(x)
//     // x (batch, 64), W (64, 10): row (64), the result (batch, 10), by one product
#pragma once

#include <kroton/expr/functions.hpp>
#include <kroton/expr/loop_items.hpp>
#include <kroton/graph/lifted_body.hpp>

namespace kroton {

namespace typed {
namespace functions {  // names for error messages
struct vmap;
}  // namespace functions

/// An operand of a lifted function: the axis that has the dimension, -1 for none, and what the function gets.
template <class Tag, class X>
struct lifted_argument {
  static constexpr int axis = -1;
  using row = X;
};
template <class Tag, expression X>
struct lifted_argument<Tag, X> {
  static constexpr shape extents = shape_of_type<typename X::extents_type>;
  static constexpr int axis = [] {
    for (int i = 0; i < X::rank; ++i)
      if (extents[i] == code_of<Tag>) return i;
    return -1;
  }();
  static constexpr shape rest = axis < 0 ? extents : reduced(extents, std::int64_t{1} << (axis < 0 ? 0 : axis));
  using row = expr<typename X::element, typename extents_of_shape<rest, typename X::extents_type>::type>;
};

/// The mistake in what a lifted function returns.
template <class R>
inline constexpr bool is_liftable_result = false;
template <expression R>
inline constexpr bool is_liftable_result<R> = R::rank < max_rank;
template <class... R>
inline constexpr bool is_liftable_result<std::tuple<R...>> = (is_liftable_result<R> && ...) && sizeof...(R) > 0;

/// A function that is lifted over dimension `Tag`.
template <class Tag, class Function>
class lifted_function {
 public:
  constexpr explicit lifted_function(const Function& f) : f_(f) {}

  template <class... X>
  constexpr auto operator()(const X&... x) const {
    constexpr bool has_axis = named_extent<Tag> && ((lifted_argument<Tag, X>::axis >= 0) || ...);
    if constexpr (!has_axis || !((expression<X> || literal<X>)&&...) ||
                  !takes<Function, std::tuple<typename lifted_argument<Tag, X>::row...>>) {
      return refuse_with<complaint::lifted, functions::vmap>(x...);
    } else {
      graph& begun = *typed_layer::graph_of(x...);
      const int loop = begun.new_loop(0, graph_extent<Tag>(begun, 1));
      begun.lifted_loops |= set_of_loop(loop);
      const std::tuple<typename lifted_argument<Tag, X>::row...> arguments{argument(begun, loop, x)...};
      const auto record = [&] {
        const kroton::graph::body_scope body(begun, loop);
        return std::apply(f_, arguments);
      };
      const auto returned = record();
      using returned_type = std::remove_cvref_t<decltype(returned)>;
      if constexpr (!is_liftable_result<returned_type>) {
        return refuse_with<complaint::lifted, functions::vmap>(x...);
      } else {
        using values = body_values<returned_type>;
        return results(begun, loop, values::of(returned));
      }
    }
  }

 private:
  Function f_;

  template <class X>
  static constexpr auto argument(graph& g, int loop, const X& x) {
    using rule = lifted_argument<Tag, X>;
    if constexpr (rule::axis < 0) {
      return x;
    } else {
      const term all = typed_layer::term_in(g, x);
      std::int64_t order = rule::axis;  // the dimension first
      for (int i = 0, at = 1; i < all.rank(); ++i)
        if (i != rule::axis) order |= static_cast<std::int64_t>(i) << (4 * at++);
      return typename rule::row(loop_row_term(transpose_term(all, order), {loop, false, 0}));
    }
  }
  template <class... R>
  static constexpr auto results(graph& begun, int loop, const std::tuple<R...>& made) {
    graph& g =
        begun.is_temporary ? *std::apply([](const auto&... r) { return typed_layer::graph_of(r...); }, made) : begun;
    const extent_code count = graph_extent<Tag>(g, 1);
    kroton::graph::lifted_body body(g, loop_in(g, begun, loop), count);
    const auto all = [&]<class X>(const X& x) {
      using type = typename X::expression;
      return expr<typename type::element, typename joined<extents<Tag>, typename type::extents_type>::type>(
          body.rows(typed_layer::term_in(g, x)));
    };
    return std::apply(
        [&](const auto&... r) {
          if constexpr (sizeof...(R) == 1) return (all(r), ...);
          else return std::tuple{all(r)...};
        },
        made);
  }
};
}  // namespace typed

/// `f` as a function of whole tensors: `kt::vmap<batch>(f)(x, y)` calls `f` with a slice of each operand that has the
/// dimension, of which the axis is gone, and with the other operands as they are, and is what it returns for all
/// slices, (batch, ...), or a tuple of that. Nothing is repeated: products become batched products, and a loop stays
/// one loop, whose values have an axis more. Gradients in `f` are those of each slice.
///
///     auto each = kt::vmap<batch>([&](auto row, auto label) { return kt::grad(loss(row, label), W); })(x, labels);
template <auto Dimension, class Function>
constexpr auto vmap(const Function& f) {
  return typed::lifted_function<std::remove_cvref_t<decltype(Dimension)>, Function>(f);
}

}  // namespace kroton
