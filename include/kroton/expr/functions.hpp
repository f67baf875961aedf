// This header has functions that are composed of operations, such as mean, softmax and one_hot.
#pragma once

#include <kroton/expr/foreign.hpp>
#include <kroton/expr/made.hpp>
#include <kroton/expr/results.hpp>
#include <kroton/graph/ops/transfer.hpp>

namespace kroton {

namespace typed {
namespace functions {  // names for error messages
struct mean;
struct variance;
struct logsumexp;
struct pick;
struct one_hot;
}  // namespace functions

template <class Indices>
struct first_axes;
template <int... I>
struct first_axes<std::integer_sequence<int, I...>> {
  using type = axis_list<I...>;
};
template <class X>
struct every_axis_of : first_axes<std::integer_sequence<int>> {};
template <expression X>
struct every_axis_of<X> : first_axes<std::make_integer_sequence<int, X::rank>> {};
template <class X>
using every_axis = typename every_axis_of<X>::type;

/// The mistake in the operand of a floating-point function along some axes.
template <class X, int... Axes>
constexpr complaint along_problem(axis_list<Axes...> axes) {
  if constexpr (!expression<X>) return foreign_layer::problem<X>;
  else if (axis_mask(axes, X::rank) < 0) return axes_problem(axis_mask(axes, X::rank));
  else return is_floating(dtype_of<typename X::element>) ? complaint::none : complaint::type;
}
}  // namespace typed

/// `assume_shape<batch, 64>(x)`: `x` with these extents, where its type says others (`any`, a name for a number); that
/// they are the same is checked at the call.
template <auto... E, expression X>
constexpr auto assume_shape(const X& x) {
  using target = typed::extents_of<E...>;
  if constexpr (target::rank != X::rank) {
    typed::reject<typed::complaint::rank, ops::reshape, typename X::expression, target>();
    return typed::typed_layer::refused<expr<typename X::element, target>>(x);
  } else {
    const term t = x.untyped();
    graph::extent_table& table = t.owner->extents;
    shape s;
    ((s.append(typed::graph_extent<typename typed::extent_type<E>::type>(*t.owner, t.extents()[s.rank]))), ...);
    for (int axis = 0; axis < s.rank; ++axis)
      if (s[axis] != t.extents()[axis])
        table.require({graph::requirement::kind::equal, t.extents()[axis], s[axis], "assume_shape"});
    return expr<typename X::element, target>(graph::reshape_term(t, s));
  }
}

/// max(x, 0); its derivative at 0 is 0: `kt::relu(x)`.
template <tensor_like X>
constexpr auto relu(const X& x) {
  return layer_of<X>::template map<ops::maximum>(0, x);
}

/// `x` limited to [low, high]; the gradient passes on the closed interval.
template <tensor_like X, tensor_like L, tensor_like H>
constexpr auto clip(const X& x, const L& low, const H& high) {
  const auto above = layer_of<X, L>::template map<ops::maximum>(x, low);
  return layer_of<decltype(above), H>::template map<ops::minimum>(above, high);
}

namespace typed {
/// A number of elements as a scalar of type `T`.
template <class T>
constexpr expr<T, extents<>> count_as(graph& g, extent_code count) {
  return expr<T, extents<>>(extent_value(g, dtype_of<T>, count));
}
/// Number of elements of `x` along the axes of `mask`, as a scalar of its element type.
template <expression X>
constexpr auto elements_along(const X& x, std::int64_t mask) {
  const term t = x.untyped();
  return count_as<typename X::element>(*t.owner, t.owner->extents.elements(t.extents(), mask));
}
}  // namespace typed

/// Mean over some axes: `mean(x, axis<0>)`, `mean(x, axis<1>, keep_dims)`. Of no elements, an error of the call.
template <tensor_like X, int... Axes, graph::keep_option... Keep>
constexpr auto mean(const X& x, graph::axis_list<Axes...> axes, Keep... keep) {
  constexpr typed::complaint problem = typed::along_problem<X>(graph::axis_list<Axes...>{});
  if constexpr (problem != typed::complaint::none) {
    typed::reject<problem, typed::functions::mean, typed::shown<X>, graph::axis_list<Axes...>>();
    return typed::foreign_layer::stand_in<typed::functions::mean>(x);
  } else {
    const term t = x.untyped();
    const extent_code count = graph::require_elements(t, graph::axis_mask(axes, X::rank), "mean");
    return sum(x, axes, keep...) / typed::count_as<typename X::element>(*t.owner, count);
  }
}
/// Mean over all axes: `kt::mean(x)`.
template <tensor_like X>
constexpr auto mean(const X& x) {
  return mean(x, typed::every_axis<X>{});
}
template <tensor_like X, class... Other>
constexpr auto mean(const X& x, Other... other) {
  return layer_of<X>::template reduce<typed::functions::mean>(x, other...);
}

/// Variance (population, no correction) over some axes: `kt::variance(x, kt::axis<0>)`.
template <tensor_like X, int... Axes, graph::keep_option... Keep>
constexpr auto variance(const X& x, graph::axis_list<Axes...> axes, Keep... keep) {
  constexpr typed::complaint problem = typed::along_problem<X>(graph::axis_list<Axes...>{});
  if constexpr (problem != typed::complaint::none) {
    typed::reject<problem, typed::functions::variance, typed::shown<X>, graph::axis_list<Axes...>>();
    return typed::foreign_layer::stand_in<typed::functions::variance>(x);
  } else {
    graph::require_elements(x.untyped(), graph::axis_mask(axes, X::rank), "variance");
    return mean(sqr(x - mean(x, axes, keep_dims)), axes, keep...);
  }
}
/// Variance (population, no correction) over all axes: `kt::variance(x)`.
template <tensor_like X>
constexpr auto variance(const X& x) {
  return variance(x, typed::every_axis<X>{});
}
template <tensor_like X, class... Other>
constexpr auto variance(const X& x, Other... other) {
  return layer_of<X>::template reduce<typed::functions::variance>(x, other...);
}

/// log(sum(exp(x))) without overflow; right for rows of -inf and +inf too: `kt::logsumexp(x)`.
template <tensor_like X, int... Axes, graph::keep_option... Keep>
constexpr auto logsumexp(const X& x, graph::axis_list<Axes...> axes, Keep...) {
  constexpr typed::complaint problem = typed::along_problem<X>(graph::axis_list<Axes...>{});
  if constexpr (problem != typed::complaint::none) {
    typed::reject<problem, typed::functions::logsumexp, typed::shown<X>, graph::axis_list<Axes...>>();
    return typed::foreign_layer::stand_in<typed::functions::logsumexp>(x);
  } else {
    const auto largest = disconnected_grad(max(x, axes, keep_dims));
    const auto shift = where(isinf(largest), 0, largest);
    const auto result = log(sum(exp(x - shift), axes, keep_dims)) + shift;
    if constexpr (sizeof...(Keep) > 0) return result;
    else return sum(result, axes);  // over extents of 1
  }
}
template <tensor_like X>
constexpr auto logsumexp(const X& x) {
  return logsumexp(x, typed::every_axis<X>{});
}
template <tensor_like X, class... Other>
constexpr auto logsumexp(const X& x, Other... other) {
  return layer_of<X>::template reduce<typed::functions::logsumexp>(x, other...);
}

namespace typed {
/// Where the last axis, of extent `count`, has the position that `index` says: `index`'s extents and one more axis. It
/// is computed at `place`, to which indices are moved rather than as many times their elements. Positions are compared
/// in a type that has them all, which 8 and 16 bits may not.
constexpr term one_hot_mask(term index, extent_code count, place_id place) {
  const dtype type = size_of(index.type()) < 4 ? dtype::int32 : index.type();
  const term checked = transfer_term(check_index(index, count), place, false);
  const term column = reshape_term(checked, with_ones(index.extents(), std::int64_t{1} << index.rank()));
  return cast(column, type) == iota(*index.owner, type, count);
}
}  // namespace typed

/// `one_hot<10>(label)`: 1 at the label's position along a new last axis, else 0. A label outside [0, Count) is an
/// `index_error` at the call, before anything changes.
template <std::int64_t Count, class T = float, expression I>
constexpr auto one_hot(const I& index) {
  if constexpr (!arithmetic::is_element<T>) {
    typed::reject<typed::complaint::element, T>();
    return typed::refused_like(index);
  } else if constexpr (!std::is_integral_v<typename I::element>) {
    typed::reject<typed::complaint::type, typed::functions::one_hot, typename I::expression>();
    return typed::typed_layer::refused<expr<T, typename I::extents_type>>(index);
  } else {
    constexpr shape result = [] {
      shape s = typed::shape_of_type<typename I::extents_type>;
      s.append(Count);
      return s;
    }();
    return typed::typed_layer::typed<T, result, I>(
        cast(typed::one_hot_mask(index.untyped(), Count, index.untyped().get().place), dtype_of<T>));
  }
}

/// Refused.
template <expression I>
constexpr auto one_hot(const I& index, std::int64_t) {
  typed::reject<typed::complaint::brackets, typed::functions::one_hot, typed::shown<I>>();
  return typed::foreign_layer::stand_in<typed::functions::one_hot>(index);
}

/// The element of each row at that row's index: x (..., columns), index (...) of integers, result (...).
/// An index outside [0, columns) is an `index_error` at the call, before anything changes.
template <expression X, expression I>
constexpr auto pick(const X& x, const I& index) {
  constexpr int last = X::rank - 1;
  constexpr int rows = X::rank == I::rank + 1 ? I::rank : 0;
  struct outcome {
    shape result;
    typed::complaint problem = typed::complaint::none;
  };
  constexpr outcome rule = [] {
    if (!std::is_integral_v<typename I::element>) return outcome{{}, typed::complaint::type};
    if (X::rank != I::rank + 1) return outcome{{}, typed::complaint::rank};
    const shape from = typed::shape_of_type<typename X::extents_type>,
                at = typed::shape_of_type<typename I::extents_type>;
    typed::typed_extents table;
    shape s;
    for (int axis = 0; axis < rows; ++axis) s.append(table.unify(from[axis], at[axis], "pick"));
    return outcome{s, table.mismatch ? typed::complaint::extents : typed::complaint::none};
  }();
  if constexpr (rule.problem != typed::complaint::none) {
    typed::reject<rule.problem, typed::functions::pick, typename X::expression, typename I::expression>();
    return typed::typed_layer::refused<expr<typename X::element, typename I::extents_type>>(x);
  } else {
    graph::graph& g = *typed::typed_layer::graph_of(x, index);
    const term t = typed::typed_layer::term_in(g, x), i = typed::typed_layer::term_in(g, index);
    for (int axis = 0; axis < rows; ++axis)  // also where one is 1, which would be broadcast
      g.extents.unify(t.extents()[axis], i.extents()[axis], "pick");
    const graph::place_id place = graph::stronger(t.get().place, i.get().place);  // that of x, if both are on devices
    const term mask = typed::one_hot_mask(i, t.extents()[last], place);
    const term picked = sum(where(mask, t, 0), std::int64_t{1} << last);
    return typed::typed_layer::typed<typename X::element, rule.result, X, I>(picked);
  }
}

}  // namespace kroton
