// This header records operations on expressions: it checks the operands by their types, and then records the node.
#pragma once

#include <kroton/expr/typed_map.hpp>
#include <kroton/graph/import.hpp>

namespace kroton::typed {

/// The mistake in axes whose mask is `mask`.
constexpr complaint axes_problem(std::int64_t mask) {
  if (mask == repeated_axis) return complaint::repeated_axis;
  return mask < 0 ? complaint::axis : complaint::none;
}

struct typed_layer {
  template <class Op, class... X>
  static constexpr auto map(const X&... x) {
    using rule = map_rule<Op, X...>;
    if constexpr (rule::value.problem != complaint::none) {
      reject<rule::value.problem, Op, typename operand_traits<X>::expression...>();
      return refused<typename rule::type>(x...);
    } else {
      graph& g = *graph_of(x...);
      return typename rule::type(graph_layer::map<Op>(term_in(g, x)...));
    }
  }
#if defined(__GNUC__) && !defined(__clang__)
  // g++ would instantiate `map` only where it evaluates the capture, from where the way to the user's line is long
  template <class Op, class... X>
  using mapped = decltype(typed_layer::map<Op>(std::declval<const X&>()...));
#else
  template <class Op, class... X>
  using mapped = typename map_rule<Op, X...>::type;
#endif

  template <class Op, class X>
  static constexpr auto reduce_all(const X& x) {
    constexpr complaint problem = reduce_problem<Op, X>(all_axes(X::rank));
    if constexpr (problem != complaint::none) {
      reject<problem, Op, typename X::expression>();
      return refused<expr<typename X::element, extents<>>>(x);
    } else {
      return reduce_mask<Op, all_axes(X::rank), false>(x);
    }
  }
  template <class Op, class X, int... Axes, keep_option... Keep>
  static constexpr auto reduce(const X& x, axis_list<Axes...>, Keep...) {
    constexpr std::int64_t mask = axis_mask(axis_list<Axes...>{}, X::rank);
    constexpr complaint problem = reduce_problem<Op, X>(mask);
    if constexpr (problem != complaint::none) {
      reject<problem, Op, typename X::expression, axis_list<Axes...>>();
      return refused<typename X::expression>(x);
    } else {
      return reduce_mask<Op, mask, (sizeof...(Keep) > 0)>(x);
    }
  }

  template <class Op, class X, class... Other>
  static constexpr auto reduce(const X& x, Other...) {
    reject<complaint::axes, Op, typename X::expression, Other...>();
    return refused<typename X::expression>(x);
  }

  template <class T, class X>
  static constexpr auto cast(const X& x) {
    if constexpr (!is_element<T>) {
      reject<complaint::element, ops::cast, T>();
      return refused<typename X::expression>(x);
    } else {
      return expr<T, typename X::extents_type>(kroton::cast(x.untyped(), dtype_of<T>));
    }
  }
  template <class Op, class X>
  static constexpr auto hook(const X& x, const attributes& attr) {
    if constexpr (!accepts(Op::takes, dtype_of<typename X::element>)) {
      reject<complaint::type, Op, typename X::expression>();
      return refused<typename X::expression>(x);
    } else {
      const term t = x.untyped();
      return typename X::expression(graph_layer::record<Op>(*t.owner, t.type(), t.extents(), attr, &t.id, 1));
    }
  }

  template <auto... E, class X>
  static constexpr auto reshape(const X& x) {
    using target = extents_of<E...>;
    if constexpr (!same_elements(shape_of_type<typename X::extents_type>, shape_of_type<target>)) {
      reject<complaint::elements, ops::reshape, typename X::expression, target>();
      return refused<expr<typename X::element, target>>(x);
    } else {
      return expr<typename X::element, target>(reshape_checked(x.untyped(), graph_shape<target>(x.untyped())));
    }
  }
  template <auto... E, class X>
  static constexpr auto broadcast_to(const X& x) {
    using target = extents_of<E...>;
    constexpr bool fits = [] {
      typed_extents table;
      const shape from = shape_of_type<typename X::extents_type>, to = shape_of_type<target>;
      return from.rank <= to.rank && broadcast_shape(table, to, from, "broadcast_to") == to && !table.mismatch;
    }();
    if constexpr (!fits) {
      reject<complaint::extents, ops::broadcast_to, typename X::expression, target>();
      return refused<expr<typename X::element, target>>(x);
    } else {
      return expr<typename X::element, target>(broadcast_term(x.untyped(), graph_shape<target>(x.untyped())));
    }
  }
  template <class X>
  static constexpr auto transpose(const X& x) {
    return [&]<int... I>(std::integer_sequence<int, I...>) { return permute<(X::rank - 1 - I)...>(x); }
    (std::make_integer_sequence<int, X::rank>{});
  }
  template <int... Order, class X>
  static constexpr auto permute(const X& x) {
    constexpr std::int64_t seen = axis_mask(axis_list<Order...>{}, X::rank);
    if constexpr (seen != all_axes(X::rank)) {
      reject <
          seen<0 ? axes_problem(seen) : complaint::rank, ops::transpose, typename X::expression, axis_list<Order...>>();
      return refused<typename X::expression>(x);
    } else {
      constexpr std::int64_t order = [] {
        std::int64_t packed = 0;
        int i = 0;
        ((packed |= static_cast<std::int64_t>(Order < 0 ? Order + X::rank : Order) << (4 * i++)), ...);
        return packed;
      }();
      constexpr shape s = permuted(shape_of_type<typename X::extents_type>, order);
      return typed<typename X::element, s, X>(transpose_term(x.untyped(), order));
    }
  }
  template <class Op, auto Form, class... X>
  static constexpr auto routine(const X&... x);
  template <class Op, class X, class... Axes>
  static constexpr auto along(const X& x, Axes...);
  template <class X, class Y>
  static constexpr auto dot(const X& x, const Y& y);
  template <class X, class I>
  static constexpr auto take(const X& x, const I& index);
  template <int Axis, class... X>
  static constexpr auto concatenate(axis_list<Axis>, const X&... x);
  template <int Axis, class... X>
  static constexpr auto stack(axis_list<Axis>, const X&... x);

  /// The result of a refused operation: zeros of the type `Result`. The capture goes on, so that nothing else
  /// is reported, and the function is not compiled.
  template <class Result, class... X>
  static constexpr Result refused(const X&... x) {
    graph& g = *graph_of(x...);
    (keep(g, x), ...);
    g.problem = {mistake::refused};
    return Result(zeros<Result>(g));
  }

  /// `x` with a new axis of extent 1 at `Axis`.
  template <int Axis, class X>
  static constexpr auto with_axis(const X& x) {
    constexpr std::int64_t mask = std::int64_t{1} << Axis;
    constexpr shape s = with_ones(shape_of_type<typename X::extents_type>, mask);
    const term t = x.untyped();
    return typed<typename X::element, s, X>(reshape_term(t, with_ones(t.extents(), mask)));
  }

  /// A term as an expression whose extents are found among those of `X...`.
  template <class T, shape Shape, class... X>
  static constexpr auto typed(term t) {
    return expr<T, typename extents_of_shape<Shape, typename joined<typename X::extents_type...>::type>::type>(t);
  }
  /// The extents of type `Target` in the graph of `x`; an `any` among them is a free extent of its own.
  template <class Target>
  static constexpr shape graph_shape(term x);

  /// The graph in which operands meet: that of the first that has one which is not temporary.
  template <class... X>
  static constexpr graph* graph_of(const X&... x) {
    graph* g = nullptr;
    ((g = g == nullptr || g->is_temporary ? preferred(g, owner_of(x)) : g), ...);
    return g;
  }
  /// The node of an operand in `g`. One of another graph is reported; what has none was refused.
  template <class X>
  static constexpr auto term_in(graph& g, const X& x) {
    if constexpr (literal<X>) {
      return x;
    } else {
      const term t = x.untyped();
      if (t.owner == &g) return t;
      if (t.owner != nullptr && t.owner->is_temporary) return imported(g, t);
      g.report(t.owner == nullptr ? mistake::refused : mistake::other_model);
      return zeros<typename X::expression>(g);
    }
  }

  static constexpr term untyped(const auto& x) requires requires { x.untyped(); }
  { return x.untyped(); }
  template <literal X>
  static constexpr X untyped(X x) {
    return x;
  }

 private:
  /// The graph that operands belong to; numbers belong to none.
  static constexpr graph* owner_of(const literal auto&) { return nullptr; }
  static constexpr graph* owner_of(const symbolic auto& x) { return x.untyped().owner; }
  /// The temporary graph of an operand that is not used ends with `g`.
  static constexpr void keep(graph&, const literal auto&) {}
  static constexpr void keep(graph& g, const symbolic auto& x) {
    graph* const from = x.untyped().owner;
    if (from != nullptr && from->is_temporary && &root_of(*from) != &g) kroton::graph::keep(g, *from);
  }
  static constexpr graph* preferred(graph* known, graph* other) {
    if (other != nullptr && other->is_temporary) other = &root_of(*other);
    return other == nullptr || (known != nullptr && other->is_temporary) ? known : other;
  }
  template <class X>
  static constexpr term zeros(graph& g);

  template <class Op, std::int64_t Mask, bool Keep, class X>
  static constexpr auto reduce_mask(const X& x) {
    using result = element_t<Op::result(dtype_of<typename X::element>)>;
    constexpr shape small = reduced(shape_of_type<typename X::extents_type>, Mask);
    const term t = reduce_term<Op>(x.untyped(), Mask);
    if constexpr (Keep) {
      constexpr shape kept = with_ones(small, Mask);
      return typed<result, kept, X>(reshape_term(t, with_ones(t.extents(), Mask)));
    } else {
      return typed<result, small, X>(t);
    }
  }
  /// The mistake in `X` as the operand of a reduction over the axes of `mask`.
  template <class Op, class X>
  static constexpr complaint reduce_problem(std::int64_t mask) {
    if (axes_problem(mask) != complaint::none) return axes_problem(mask);
    if (!accepts(Op::takes, dtype_of<typename X::element>)) return complaint::type;
    if constexpr (requires { Op::needs_elements; })
      for (int axis = 0; axis < X::rank; ++axis)
        if (((mask >> axis) & 1) && shape_of_type<typename X::extents_type>[axis] == 0) return complaint::no_elements;
    return complaint::none;
  }
  /// Whether two shapes may have the same number of elements; what names and `any` leave open is checked at the call.
  static constexpr bool same_elements(const shape& x, const shape& y) {
    extent_code numbers[2] = {1, 1};
    extent_code names[2] = {0, 0};  // order-independent sum of the names' codes
    for (int side = 0; side < 2; ++side) {
      const shape& s = side == 0 ? x : y;
      for (int i = 0; i < s.rank; ++i) {
        if (s[i] == any_code) return true;
        if (s[i] >= 0) numbers[side] *= s[i];
        else names[side] += s[i] / 16;
      }
    }
    return numbers[0] == numbers[1] && names[0] == names[1];
  }
  static constexpr term reshape_checked(term x, const shape& target) {
    extent_table& table = x.owner->extents;
    const extent_code have = table.elements(x.extents()), want = table.elements(target);
    if (have != want) table.require({requirement::kind::equal, have, want, "reshape"});
    return reshape_term(x, target);
  }
};

}  // namespace kroton::typed
