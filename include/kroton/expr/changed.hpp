// This header has tensors of which a part is changed, as functions: kt::set and kt::inc.
//
//     kt::set(x, kt::rows<0, 2>(), y)   x with y in its first two rows
//     kt::inc(x, index, y)              x, to whose rows at `index` the rows of y are added
//
// What is changed is named as in brackets, x[kt::rows<0, 2>()], or by integers for each row.
#pragma once

#include <kroton/expr/at.hpp>
#include <kroton/expr/gathered.hpp>
#include <kroton/graph/ops/set_rows.hpp>

namespace kroton {

namespace typed {
namespace functions {  // names for error messages
struct set;
struct inc;
}  // namespace functions

/// `x` (n, ...) with the rows (m, ...) of `rows` at `index` (m): of several for one row the last.
constexpr term with_rows(term x, term index, term rows) {
  return call_routine<ops::set_rows>(no_form{}, x, cast(index, dtype::int64), rows);
}
/// `value` in place of all of `whole`, on which it depends still.
constexpr term with_all(term whole, term value) {
  const shape s = whole.extents();  // a copy, because new nodes move the graph's shapes
  return where(broadcast_term(constant_of_bits(*whole.owner, dtype::boolean, 1), s), value, whole);
}
/// `whole` with `value` in place of the slice `form` of it.
constexpr term with_slice(term whole, const slice_form& form, term value) {
  graph& g = *whole.owner;
  const shape s = whole.extents(), part = value.extents();  // copies, because new nodes move the graph's shapes
  const extent_code all = s[form.axis], count = part[form.axis], behind = g.extents.add(form.first, count);
  if (form.step == 1) {
    if (count == all) return with_all(whole, value);
    array_list<term> parts;
    if (form.first != 0) parts.push_back(slice_term(whole, {form.axis, 1, 0}, form.first));
    parts.push_back(value);
    if (behind != all) parts.push_back(slice_term(whole, {form.axis, 1, behind}, g.extents.subtract(all, behind)));
    return concatenate_term(parts.begin(), parts.size(), form.axis);
  }
  const dtype type = whole.type() == dtype::boolean ? dtype::int8 : whole.type();
  const term mask = embed_term(broadcast_term(constant_of_bits(g, dtype::int8, 1), part), form, s) == 1;
  return where(mask, cast(embed_term(cast(value, type), form, s), whole.type()), whole);
}
/// `whole` with `value` in place of its part, which slices, views and lookups select from it. It depends on `whole`
/// even if the part is all of it.
constexpr term with_part(term whole, term part, term value) {
  graph& g = *whole.owner;
  bool is_all = true;
  while (part.id != whole.id) {
    const node n = part.get();
    const term from{&g, g.operand(part.id, 0)};
    const shape target = from.extents();  // a copy, because new nodes move the graph's shapes
    is_all = is_all && n.op->kind != op_kind::slice && n.op->kind != op_kind::take;
    switch (n.op->kind) {
      case op_kind::slice: value = with_slice(from, slice_form::of(n.attr), value); break;
      case op_kind::transpose:
        value = transpose_term(value, inverse_permutation(transpose_form::of(n.attr).order, part.rank()));
        break;
      case op_kind::take: {
        const term index{&g, g.operand(part.id, 1)};
        shape rows = target;
        rows[0] = g.extents.elements(index.extents());
        value = with_rows(from, reshape_term(index, {1, {rows[0]}}), reshape_term(value, rows));
        break;
      }
      default: value = reshape_term(value, target);
    }
    part = from;
  }
  return is_all ? with_all(whole, value) : value;
}
/// `whole` and `value` added up in a part.
constexpr term with_part_added(term whole, term part, term value) { return with_part(whole, part, part + value); }
/// `x` (n, ...), to whose rows at `index` (m) the rows (m, ...) of `rows` are added.
constexpr term with_rows_added(term x, term index, term rows) {
  const shape s = x.extents();  // a copy, because new nodes move the graph's shapes
  return x + scatter_term(index, rows, s);
}

/// What a change is made of: the part of `X` that `Item` names, as a type.
template <class X, class Item>
struct changed_part {
  using type = std::remove_cvref_t<decltype(std::declval<const X&>()[std::declval<const Item&>()])>;
};
template <class X, class Item>
  requires is_index_list<Item>
struct changed_part<X, Item> {
  using type = typename index_rule<X, Item>::type;
};
template <class X, class Item>
constexpr bool is_changeable() {
  if constexpr (is_index_list<Item>) return index_rule<X, Item>::problem == complaint::none;
  else return requires(const X& x, const Item& item) {
      x[item];
    };
}

/// What is wrong with `Y` as new values of elements of `X`, whose extents are `to`.
template <class X, class Y>
constexpr complaint values_problem(const shape& to) {
  if constexpr (literal<Y>)
    return std::is_integral_v<Y> || is_floating(dtype_of<typename X::element>) ? complaint::none : complaint::literal;
  else if constexpr (!expression<Y>) return complaint::operand;
  else if constexpr (!std::is_same_v<typename X::element, typename Y::element>) return complaint::mixed_types;
  else {
    const shape from = shape_of_type<typename Y::extents_type>;
    if (from.rank > to.rank) return complaint::extents;
    typed_extents table;
    for (int i = 0; i < from.rank; ++i)
      if (from[i] != 1) table.unify(to[to.rank - from.rank + i], from[i], "set");
    return table.mismatch ? complaint::extents : complaint::none;
  }
}
/// What is wrong with `Y` as the new value of a part.
template <class X, class Item, class Y>
constexpr complaint part_problem() {
  if constexpr (!expression<X>) return complaint::operand;
  else if constexpr (!is_changeable<X, Item>()) return complaint::changed_part;
  else return values_problem<X, Y>(shape_of_type<typename changed_part<X, Item>::type::extents_type>);
}
/// The same where values are added, which truth values are not. `Found`: what is wrong with the change.
template <class X, complaint Found>
constexpr complaint added_problem() {
  if constexpr (Found == complaint::none)
    return std::is_same_v<typename X::element, bool> ? complaint::type : complaint::none;
  else return Found;
}
/// A new value with the extents of what it replaces.
template <class Y>
constexpr term as_part(graph& g, dtype type, const shape& s, const Y& y) {
  if constexpr (literal<Y>) {
    return broadcast_term(constant(g, type, static_cast<double>(y)), s);
  } else {
    const term t = typed_layer::term_in(g, y);
    for (int i = 0; i < t.rank(); ++i) {
      const extent_code a = t.extents()[i], b = s[s.rank - t.rank() + i];
      if (a != 1 && a != b) g.extents.unify(b, a, "set");
    }
    return broadcast_term(t, s);
  }
}
/// The graph in which a tensor, the integers that name rows of it, and their new values meet.
template <class X, class Item, class Y>
constexpr graph& graph_of_rows(const X& x, const Item& item, const Y& y) {
  if constexpr (expression<Item>) return *typed_layer::graph_of(x, item, y);
  else return *std::apply([&](const auto&... i) { return typed_layer::graph_of(x, i..., y); }, item);
}

/// `x` with a change: `rows_changed(x, index, rows)` where integers name rows, else `part_changed(x, part, value)`.
template <class X, class Item, class Y>
constexpr auto changed(const X& x, const Item& item, const Y& y, const auto& rows_changed, const auto& part_changed) {
  if constexpr (is_index_list<Item>) {
    graph& g = graph_of_rows(x, item, y);
    const term whole = typed_layer::term_in(g, x);
    const row_positions at(g, whole, item);
    const term rows = reshape_term(as_part(g, whole.type(), at.part, y), at.changed);
    return typename X::expression(reshape_term(rows_changed(reshape_term(whole, at.rows), at.index, rows), at.whole));
  } else {
    const auto chosen = x[item];
    graph& g = *typed_layer::graph_of(x, chosen, y);
    const term whole = typed_layer::term_in(g, x), part = typed_layer::term_in(g, chosen);
    const shape s = part.extents();  // a copy, because new nodes move the graph's shapes
    return typename X::expression(part_changed(whole, part, as_part(g, whole.type(), s, y)));
  }
}
}  // namespace typed

/// `x` with `y` in place of a part of it, which is named as in brackets or by integers for rows: `kt::set(x, 2, 0)`,
/// `kt::set(x, kt::at(kt::all, 1), column)`, `kt::set(x, index, rows)`, `kt::set(x, std::tuple{i, j}, y)`. `y` is a
/// number, or an expression that broadcasts to the part. Where an index names a row twice, the last one counts.
template <class X, class Item, class Y>
constexpr auto set(const X& x, const Item& item, const Y& y) {
  constexpr typed::complaint problem = typed::part_problem<X, Item, Y>();
  if constexpr (problem != typed::complaint::none) {
    return typed::refuse_with<problem, typed::functions::set>(x, y);
  } else {
    return typed::changed(x, item, y, typed::with_rows, typed::with_part);
  }
}
/// `x` with `y` added to a part of it: `kt::inc(x, kt::rows<0, 2>(), y)`. Where an index names a row several times, all
/// of it is added up: `kt::inc(x, index, rows)`.
template <class X, class Item, class Y>
constexpr auto inc(const X& x, const Item& item, const Y& y) {
  constexpr typed::complaint problem = typed::added_problem<X, typed::part_problem<X, Item, Y>()>();
  if constexpr (problem != typed::complaint::none) {
    return typed::refuse_with<problem, typed::functions::inc>(x, y);
  } else {
    return typed::changed(x, item, y, typed::with_rows_added, typed::with_part_added);
  }
}

}  // namespace kroton
