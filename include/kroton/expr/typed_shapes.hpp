// This header has the type rules of the operations that combine shapes: dot, take, concatenate and stack, and those of
// routines.
#pragma once

#include <kroton/expr/typed_layer.hpp>

namespace kroton::typed {

namespace functions {
struct stack;
}  // namespace functions

template <class E>
constexpr extent_code graph_extent(graph& g, extent_code open_extent) {
  if constexpr (named_extent<E>)
    return g.extents.intern(extent_symbol{extent_kind::named, code_of<E>, 0, name_of_dim<E>.text});
  else return code_of<E> >= 0 ? code_of<E> : open_extent;
}

template <class... E>
constexpr shape graph_shape_of([[maybe_unused]] graph& g, [[maybe_unused]] extent_code open_extent, extents<E...>) {
  shape s;
  (s.append(graph_extent<E>(g, open_extent)), ...);
  return s;
}

template <class X>
constexpr term typed_layer::zeros(graph& g) {
  const shape target = graph_shape_of(g, 1, typename X::extents_type{});
  return broadcast_term(constant(g, dtype_of<typename X::element>, 0), target);
}

template <class X>
constexpr auto refused_like(const X& x) {
  return typed_layer::refused<typename X::expression>(x);
}

template <class Target>
constexpr shape typed_layer::graph_shape(term x) {
  // one `any` stands for what the others leave, as -1 does in NumPy
  extent_table& table = x.owner->extents;
  extent_code count = 1, others = 1;
  const shape known = graph_shape_of(*x.owner, 1, Target{});
  for (int i = 0; i < x.rank(); ++i) count = table.multiply(count, x.extents()[i]);
  for (int i = 0; i < known.rank; ++i) others = table.multiply(others, known[i]);
  return graph_shape_of(*x.owner, table.ceil_divide(count, others), Target{});
}

template <class X, class Y>
constexpr auto typed_layer::dot(const X& x, const Y& y) {
  using T = typename X::element;
  constexpr bool left_vector = X::rank == 1, right_vector = Y::rank == 1;
  struct outcome {
    shape result;
    complaint problem = complaint::none;
  };
  constexpr outcome rule = [] {
    shape a = shape_of_type<typename X::extents_type>, b = shape_of_type<typename Y::extents_type>;
    if (a.rank == 0 || b.rank == 0 || (a.rank != b.rank && a.rank > 2 && b.rank > 2))
      return outcome{{}, complaint::rank};
    if (!is_floating(dtype_of<T>)) return outcome{{}, complaint::type};
    if (!std::is_same_v<T, typename Y::element>) return outcome{{}, complaint::mixed_types};
    if (left_vector) a = with_ones(a, 1);
    if (right_vector) b = with_ones(b, 2);
    typed_extents table;
    shape r = dot_shape(table, a, b);
    shape result;
    for (int i = 0; i < r.rank; ++i)
      if (!(left_vector && i == r.rank - 2) && !(right_vector && i == r.rank - 1)) result.append(r[i]);
    return outcome{result, table.mismatch ? complaint::extents : complaint::none};
  }();
  if constexpr (rule.problem != complaint::none) {
    reject<rule.problem, ops::dot, typename X::expression, typename Y::expression>();
    return refused<typename X::expression>(x);
  } else {
    graph& g = *graph_of(x, y);
    term a = term_in(g, x), b = term_in(g, y);
    if constexpr (left_vector) a = reshape_term(a, with_ones(a.extents(), 1));
    if constexpr (right_vector) b = reshape_term(b, with_ones(b.extents(), 2));
    term r = dot_term(a, b);
    if constexpr (left_vector || right_vector) {
      shape s;
      for (int i = 0; i < r.rank(); ++i)
        if (!(left_vector && i == r.rank() - 2) && !(right_vector && i == r.rank() - 1)) s.append(r.extents()[i]);
      r = reshape_term(r, s);
    }
    return typed<T, rule.result, X, Y>(r);
  }
}

/// The result type of a routine on operands `X...`, and what is wrong with them.
template <class Op, auto Form, class... X>
struct routine_rule {
  struct outcome {
    shape result;
    dtype type = dtype::float32;
    complaint problem = complaint::none;
  };
  static constexpr outcome infer() {
    const dtype types[] = {dtype_of<typename X::element>...};
    const shape shapes[] = {shape_of_type<typename X::extents_type>...};
    constexpr int count = static_cast<int>(sizeof...(X));
    if (count != Op::arity || !Op::ranks_agree(shapes, Form)) return {{}, types[0], complaint::rank};
    if (!accepts(Op::takes, types[0])) return {{}, types[0], complaint::type};
    if (!Op::types_agree(types, count)) return {{}, types[0], complaint::mixed_types};
    typed_extents table;
    const shape result = Op::result_shape(table, shapes, Form);
    return {result, Op::result(types, count), table.mismatch ? complaint::extents : complaint::none};
  }
  static constexpr outcome value = infer();
  using type = expr<element_t<value.type>,
                    typename extents_of_shape<value.result, typename joined<typename X::extents_type...>::type>::type>;
};

template <class Op, auto Form, class... X>
constexpr auto typed_layer::routine(const X&... x) {
  if constexpr (!is_routine<Op>) {
    reject<complaint::routine, Op, typename X::expression...>();
    return refused<typename std::tuple_element_t<0, std::tuple<X...>>::expression>(x...);
  } else {
    using rule = routine_rule<Op, Form, X...>;
    if constexpr (rule::value.problem != complaint::none) {
      reject<rule::value.problem, Op, typename X::expression...>();
      return refused<typename rule::type>(x...);
    } else if constexpr (!has_host<Op, element_t<rule::value.type>, typename X::element...>) {
      reject<complaint::routine, Op, typename X::expression...>();
      return refused<typename rule::type>(x...);
    } else {
      graph& g = *graph_of(x...);
      return typename rule::type(graph_layer::routine<Op>(Form, term_in(g, x)...));
    }
  }
}

/// The one axis that an operation is given, and the mistake in it; a vector needs no axis.
struct told_axis {
  int number = 0;
  complaint problem = complaint::axes;
};
template <class... Other>
constexpr told_axis told_axis_of(int, Other...) {
  return {};
}
constexpr told_axis told_axis_of(int rank) { return {0, rank == 1 ? complaint::none : complaint::axes}; }
template <int Axis>
constexpr told_axis told_axis_of(int rank, axis_list<Axis>) {
  const int number = Axis < 0 ? Axis + rank : Axis;
  return {number, number < 0 || number >= rank ? complaint::axis : complaint::none};
}

template <class Op, class X, class... Axes>
constexpr auto typed_layer::along(const X& x, Axes...) {
  constexpr told_axis axis = told_axis_of(X::rank, Axes{}...);
  if constexpr (axis.problem != complaint::none) {
    reject<axis.problem, Op, typename X::expression, Axes...>();
    return refused<typename X::expression>(x);
  } else {
    return routine<Op, along_form{axis.number}>(x);
  }
}

template <class X, class I>
constexpr auto typed_layer::take(const X& x, const I& index) {
  if constexpr (X::rank == 0) {
    reject<complaint::rank, ops::take, typename X::expression>();
    return refused<typename X::expression>(x);
  } else if constexpr (!std::is_integral_v<typename I::element> || std::is_same_v<typename I::element, bool>) {
    reject<complaint::type, ops::take, typename X::expression, typename I::expression>();
    return refused<typename X::expression>(x);
  } else {
    constexpr shape result = taken(shape_of_type<typename X::extents_type>, shape_of_type<typename I::extents_type>);
    graph& g = *graph_of(x, index);
    return typed<typename X::element, result, X, I>(take_term(term_in(g, x), term_in(g, index)));
  }
}

template <int Axis, class... X>
constexpr auto typed_layer::concatenate(axis_list<Axis>, const X&... x) {
  using first = typename first_symbolic<X...>::type;
  using T = typename first::element;
  constexpr int axis = Axis < 0 ? Axis + first::rank : Axis;
  if constexpr (((X::rank != first::rank) || ...)) {
    reject<complaint::rank, ops::concatenate, typename X::expression...>();
    return refused<typename first::expression>(x...);
  } else if constexpr ((!std::is_same_v<T, typename X::element> || ...)) {
    reject<complaint::mixed_types, ops::concatenate, typename X::expression...>();
    return refused<typename first::expression>(x...);
  } else if constexpr (axis < 0 || axis >= first::rank) {
    reject<complaint::axis, ops::concatenate, typename X::expression..., axis_list<Axis>>();
    return refused<typename first::expression>(x...);
  } else {
    struct outcome {
      shape result;
      bool mismatch;
    };
    constexpr outcome rule = [] {
      const shape parts[] = {shape_of_type<typename X::extents_type>...};
      typed_extents table;
      const shape s = concatenated(table, parts, static_cast<int>(sizeof...(X)), axis);
      return outcome{s, table.mismatch};
    }();
    if constexpr (rule.mismatch) {
      reject<complaint::extents, ops::concatenate, typename X::expression...>();
      return refused<typename first::expression>(x...);
    } else {
      graph& g = *graph_of(x...);
      const term parts[] = {term_in(g, x)...};
      return typed<T, rule.result, X...>(concatenate_term(parts, static_cast<int>(sizeof...(X)), axis));
    }
  }
}

/// The type of `stack(axis<Axis>, x...)`, and what is wrong with its operands.
template <int Axis, class... X>
struct stack_rule {
  using first = typename first_symbolic<X...>::type;
  static constexpr int axis = Axis < 0 ? Axis + first::rank + 1 : Axis;
  struct outcome {
    shape result;
    complaint problem = complaint::none;
  };
  static constexpr outcome infer() {
    if (((X::rank != first::rank) || ...)) return {{}, complaint::rank};
    if ((!std::is_same_v<typename first::element, typename X::element> || ...)) return {{}, complaint::mixed_types};
    if (axis < 0 || axis > first::rank) return {{}, complaint::axis};
    typed_extents table;
    shape s = shape_of_type<typename first::extents_type>;
    ((s = unified(table, s, shape_of_type<typename X::extents_type>)), ...);
    s = with_ones(s, std::int64_t{1} << axis);
    s[axis] = sizeof...(X);
    return {s, table.mismatch ? complaint::extents : complaint::none};
  }
  static constexpr shape unified(typed_extents& table, shape x, const shape& y) {
    for (int i = 0; i < x.rank; ++i) x[i] = table.unify(x[i], y[i], "stack");
    return x;
  }
  static constexpr outcome value = infer();
  using type = expr<typename first::element,
                    typename extents_of_shape<value.result, typename joined<typename X::extents_type...>::type>::type>;
};

template <int Axis, class... X>
constexpr auto typed_layer::stack(axis_list<Axis>, const X&... x) {
  using rule = stack_rule<Axis, X...>;
  if constexpr (rule::value.problem != complaint::none) {
    reject<rule::value.problem, functions::stack, typename X::expression..., axis_list<Axis>>();
    return refused<typename rule::type>(x...);
  } else {
    return typename rule::type(concatenate(axis_list<rule::axis>{}, with_axis<rule::axis>(x)...).untyped());
  }
}

}  // namespace kroton::typed
