// This header has terms, the untyped handles of nodes, with which backward rules and rewrites are written, and records
// operations on them.
#pragma once

#include <kroton/graph/axes.hpp>
#include <kroton/graph/graph.hpp>

#include <iterator>
#include <type_traits>

namespace kroton {

namespace graph {
struct graph_layer;
}  // namespace graph

/// A node of a graph. The public functions (`exp`, `sum`, ...) take terms as well as typed expressions.
struct term {
  using layer = graph::graph_layer;
  graph::graph* owner = nullptr;
  int id = -1;

  constexpr const graph::node& get() const { return owner->nodes.items[id]; }
  constexpr dtype type() const { return owner->nodes.items[id].type; }
  constexpr const shape& extents() const { return owner->shapes.items[owner->nodes.items[id].shape]; }
  constexpr int rank() const { return extents().rank; }
  constexpr bool valid() const { return id >= 0; }
};

/// Anything the public functions accept as a tensor.
template <class X>
concept symbolic = requires {
  typename std::remove_cvref_t<X>::layer;
};

namespace typed {
/// The layer that refuses operands that are not expressions, see expr/foreign.hpp.
struct foreign_layer;
}  // namespace typed

/// A number beside a tensor: it takes the tensor's element type.
template <class X>
concept literal = std::is_arithmetic_v<std::remove_cvref_t<X>> || arithmetic::short_floating<std::remove_cvref_t<X>>;

/// An operand of an operation: a term, an expression, or a number beside one.
template <class X>
concept operand = literal<X> ||
    (symbolic<X> && !std::is_same_v<typename std::remove_cvref_t<X>::layer, typed::foreign_layer>);

/// The arguments of the public functions: symbolic tensors and numbers, and also tensors of the host, vectors, arrays
/// and text, which the functions refuse with a sentence.
template <class X>
concept tensor_like = symbolic<X> || literal<X> || requires(const X& x) {
  requires literal<decltype(*std::begin(x))>;
};

namespace graph {
template <class... X>
struct first_symbolic {};
template <class X, class... Rest>
struct first_symbolic<X, Rest...> : first_symbolic<Rest...> {};
template <symbolic X, class... Rest>
struct first_symbolic<X, Rest...> {
  using type = X;
};
template <bool Accepted, class... X>
struct layer_choice {
  using type = typed::foreign_layer;
};
template <class... X>
struct layer_choice<true, X...> {
  using type = typename first_symbolic<X...>::type::layer;
};
}  // namespace graph

/// The layer that records an operation on these operands: `graph_layer` for terms, `typed_layer` for expressions.
/// Numbers may stand beside them.
template <class... X>
using layer_of =
    typename graph::layer_choice<(operand<X> && ...) && (symbolic<X> || ...), std::remove_cvref_t<X>...>::type;
/// The same for an operation that takes no numbers.
template <class... X>
using layer_of_tensors =
    typename graph::layer_choice<((operand<X> && symbolic<X>)&&...), std::remove_cvref_t<X>...>::type;

/// At least one tensor; the other may be a number.
template <class X, class Y>
concept operand_pair = operand<X> && operand<Y> &&(symbolic<X> || symbolic<Y>);

/// The result type of an elementwise operation on these operands. It is spelled instead of `auto`, because derivatives
/// use the public functions recursively (the derivative of `where` is a `where`).
template <class Op, class... X>
using mapped = typename layer_of<X...>::template mapped<Op, std::remove_cvref_t<X>...>;

namespace graph {
/// NumPy alignment; only an extent that is the number 1, or missing on the left, broadcasts.
template <class Extents>
constexpr shape broadcast_shape(Extents& table, const shape& x, const shape& y, const char* operation) {
  if (x == y) return x;
  const shape& big = x.rank >= y.rank ? x : y;
  const shape& small = x.rank >= y.rank ? y : x;
  shape result = big;
  const int offset = big.rank - small.rank;
  for (int i = 0; i < small.rank; ++i) {
    const extent_code a = big[offset + i], b = small[i];
    if (a == b || b == 1) continue;
    result[offset + i] = a == 1 ? b : table.unify(x.rank >= y.rank ? a : b, x.rank >= y.rank ? b : a, operation);
  }
  return result;
}

/// Records nodes with shape inference on values.
struct graph_layer {
  template <class Op, class... X>
  using mapped = term;
  template <class Op>
  static constexpr term record(graph& g, dtype type, const shape& s, const attributes& attr, const int* args,
                               int count) {
    return {&g, g.add(op<Op>, type, g.intern(s), attr, args, count)};
  }
  template <class Op, class... X>
  static constexpr term map(const X&... x) {
    graph* g = nullptr;
    dtype type = dtype::boolean;
    (note(x, g, type), ...);
    const term terms[] = {as_term(*g, type, x, Op::name)...};
    constexpr int count = sizeof...(X);
    return map_terms<Op>(*g, terms, count);
  }
  template <class Op>
  static constexpr term map_terms(graph& g, const term* x, int count) {
    int ids[4] = {};
    dtype types[4] = {};
    int s = -1;
    for (int i = 0; i < count; ++i) {
      const node& n = g.nodes.items[x[i].id];
      ids[i] = x[i].id;
      types[i] = n.type;
      const int other = n.shape;
      if (s < 0) s = other;
      if (other != s) s = g.intern(broadcast_shape(g.extents, g.shapes[s], g.shapes[other], Op::name));
    }
    return {&g, g.add(op<Op>, Op::result(types, count), s, {}, ids, count)};
  }
  /// A reduction, see reduction.hpp.
  template <class Op>
  static constexpr term reduce_all(term x);
  template <class Op, int... Axes, keep_option... Keep>
  static constexpr term reduce(term x, axis_list<Axes...> axes, Keep...);
  /// A routine, see routine.hpp.
  template <class Op, class... X>
  static constexpr term routine(const typename Op::form& form, const X&... x) {
    static_assert(sizeof...(X) == Op::arity);
    const term terms[] = {x...};
    const int ids[] = {x.id...};
    const dtype types[] = {x.type()...};
    const shape shapes[] = {x.extents()...};
    graph& g = *terms[0].owner;
    const shape s = Op::result_shape(g.extents, shapes, form);
    return record<Op>(g, Op::result(types, Op::arity), s, form, ids, Op::arity);
  }
  template <class Op, auto Form, class... X>
  static constexpr term routine(const X&... x) {
    return routine<Op>(Form, x...);
  }

 private:
  static constexpr void note(const term& x, graph*& g, dtype& type) {
    g = x.owner;
    if (x.type() != dtype::boolean || type == dtype::boolean) type = x.type();
  }
  template <literal X>
  static constexpr void note(const X&, graph*&, dtype&) {}
  static constexpr term as_term(graph&, dtype, const term& x, const char*) { return x; }
  template <literal X>
  static constexpr term as_term(graph& g, dtype type, X x, const char* operation);
};
}  // namespace graph

}  // namespace kroton
