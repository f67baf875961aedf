// This header divides a function along one named dimension into a function of a piece and a function of the rest.
// kt::chunked calls the first for each piece, combines what it returns, and calls the second once with the totals.
//
//     f(x) = sum(x * x) / extent(batch)
//       ->  piece(x): returns sum(x * x) of a piece; the totals are added, in double if the sum is of floats
//           rest(total): returns total / extent(batch)
#pragma once

#include <kroton/arithmetic/indexed.hpp>
#include <kroton/passes/chunk_analysis.hpp>

namespace kroton::passes {

/// The element type in which the combination of pieces is kept: many sums are added, which must not be rounded to the
/// type of each.
constexpr dtype total_type(const node& n) {
  const operation* combine = combiner_of(n);
  if (!is_floating(n.type) || (combine->id != id_of<ops::add> && combine->id != id_of<ops::mul>)) return n.type;
  return n.type == dtype::float32 ? dtype::float64 : computed_in(n.type);
}
/// The combination that node `n` makes, named after its operation.
constexpr variable total_of(const node& n) {
  variable v;
  v.name = n.op->name;
  v.type = total_type(n);
  v.shape = n.shape;
  v.place = n.place == anywhere ? at_home : n.place;
  return v;
}
/// A combination, as data that refer to no operation.
struct chunk_total {
  variable what;
  operation_id combine{};
  shape extents;
};
/// The combination of no pieces.
template <class T>
constexpr T initial_total(operation_id combine) {
  if (combine == id_of<ops::mul> || combine == id_of<ops::logical_and>) return T(1);
  if (combine == id_of<ops::maximum>) return static_cast<T>(ops::max::identity<computed_in_t<T>>);
  if (combine == id_of<ops::minimum>) return static_cast<T>(ops::min::identity<computed_in_t<T>>);
  return T(0);
}

/// Writes one of the two parts of a divided function. Both have further shared variables, the combinations, where what
/// they combine is, and two further inputs, the extent of the whole dimension and the index at which the piece begins.
/// Pieces update the combinations, and their outputs are those along the dimension; the rest has the other outputs and
/// updates.
template <class Graph>
class chunk_part {
 public:
  constexpr chunk_part(const Graph& f, const chunk_dependences<Graph::size.nodes>& known, extent_code dimension,
                       bool is_piece, graph& g)
      : f_(f), known_(known), g_(g), dimension_(dimension), is_piece_(is_piece), needed_(f.size.nodes, false),
        renamed_(f.size.nodes, -1) {
    thaw_frame(f, g);
    mark();
    for (int id = 0; id < f.size.nodes; ++id)
      if (is_total(id)) g.shared.push_back(total_of(f.nodes[id]));
    variable extent;
    extent.name = "extent";
    extent.type = dtype::int64;
    extent.shape = g.intern(shape());
    g.inputs.push_back(extent);
    extent.name = "first";
    g.inputs.push_back(extent);
    int total = f.size.shared;
    for (int id = 0; id < f.size.nodes; ++id) {
      if (needed_[id]) write(id, total);
      total += is_total(id);
    }
    for (int i = 0; i < f.size.outputs; ++i)
      if ((known_[f.outputs[i]] == dependence::along) == is_piece) g.outputs.push_back(as_written(f.outputs[i]));
    if (is_piece) {
      total = f.size.shared;
      for (int id = 0; id < f.size.nodes; ++id)
        if (is_total(id)) {
          g.updates.push_back(update_entry{total, combined(id, total)});
          ++total;
        }
    } else {
      for (int i = 0; i < f.size.updates; ++i)
        g.updates.push_back(update_entry{f.updates[i].target, as_written(f.updates[i].source)});
    }
  }

 private:
  const Graph& f_;
  const chunk_dependences<Graph::size.nodes>& known_;
  graph& g_;
  extent_code dimension_;
  bool is_piece_;
  array_list<bool> needed_;
  array_list<int> renamed_;

  constexpr bool is_total(int id) const { return known_[id] == dependence::over; }
  /// Marks what this part computes.
  constexpr void mark() {
    for (int i = 0; i < f_.size.outputs; ++i)
      if ((known_[f_.outputs[i]] == dependence::along) == is_piece_) needed_[f_.outputs[i]] = true;
    for (int i = 0; i < f_.size.updates && !is_piece_; ++i) needed_[f_.updates[i].source] = true;
    for (int id = f_.size.nodes - 1; id >= 0; --id) {
      if (is_piece_ && is_total(id)) needed_[id] = true;
      const bool is_input = !is_piece_ && is_total(id);
      const node& n = f_.nodes[id];
      for (int i = 0; needed_[id] && !is_input && i < n.count; ++i) needed_[f_.operands[n.first + i]] = true;
    }
  }
  constexpr term read(const operation* what, const variable& from, int index) {
    return {&g_, g_.add(what, from.type, from.shape, variable_form{index}, nullptr, 0)};
  }
  constexpr term total(int index) { return read(op<ops::shared>, g_.shared[index], index); }
  constexpr void write(int id, int sum) {
    const node& n = f_.nodes[id];
    if (!is_piece_ && is_total(id)) {
      renamed_[id] = cast(total(sum), computed_in(n.type)).id;
    } else if (n.op->kind == op_kind::extent && depends_on(f_.symbols, extent_form::of(n.attr).extent, dimension_)) {
      renamed_[id] = cast(whole(extent_form::of(n.attr).extent), computed_in(n.type)).id;
    } else if (n.op->kind == op_kind::iota && known_[id] == dependence::along) {
      renamed_[id] = positions(n).id;
    } else {
      // 16-bit floats are rounded where they are stored, which sums of pieces are not, nor what is computed from sums
      // before that is
      const bool is_wide = is_total(id) ? total_type(n) != n.type
                                        : n.op->kind == op_kind::map && n.op->id != id_of<ops::cast> && reads_wide(n);
      array_list<int> args;
      for (int i = 0; i < n.count; ++i) {
        const int operand = f_.operands[n.first + i];
        args.push_back(is_wide ? cast(term{&g_, renamed_[operand]}, computed_in(f_.nodes[operand].type)).id
                               : as_written(operand));
      }
      renamed_[id] = g_.add(n.op, is_wide ? computed_in(n.type) : n.type, n.shape, n.attr, args.begin(), n.count);
    }
  }
  /// Positions of a piece within the whole, whose first axis is the dimension.
  constexpr term positions(const node& n) {
    const term in_piece{&g_, g_.add(n.op, n.type, n.shape, n.attr, nullptr, 0)};
    term before = read(op<ops::input>, g_.inputs[f_.size.inputs + 1], f_.size.inputs + 1);
    const shape s = f_.shapes[n.shape];
    for (int axis = 1; axis < s.rank; ++axis) before = before * extent_value(g_, dtype::int64, s[axis]);
    return in_piece + cast(before, n.type);
  }
  constexpr bool reads_wide(const node& n) const {
    for (int i = 0; i < n.count; ++i)
      if (const int operand = f_.operands[n.first + i]; g_.nodes[renamed_[operand]].type != f_.nodes[operand].type)
        return true;
    return false;
  }
  /// A node with its own element type.
  constexpr int as_written(int id) { return cast(term{&g_, renamed_[id]}, f_.nodes[id].type).id; }
  /// The value of an extent when the dimension is whole.
  constexpr term whole(extent_code e) {
    if (e == dimension_) return read(op<ops::input>, g_.inputs[f_.size.inputs], f_.size.inputs);
    if (e >= 0 || !depends_on(f_.symbols, e, dimension_)) return extent_value(g_, dtype::int64, e);
    const extent_symbol& s = f_.symbols[-1 - e];
    const term a = whole(s.a), b = whole(s.b);
    if (s.kind == extent_kind::sum) return a + b;
    if (s.kind == extent_kind::difference) return maximum(a - b, 0);
    if (s.kind == extent_kind::product) return a * b;
    return (a + b - 1) / b;
  }
  constexpr int combined(int id, int sum) {
    const node& n = f_.nodes[id];
    const int args[] = {total(sum).id, cast(term{&g_, renamed_[id]}, total_type(n)).id};
    return g_.add(combiner_of(n), total_type(n), n.shape, {}, args, 2);
  }
};

/// The facts about the function in `Captured::value` when it is divided along the dimension whose type has this hash.
template <class Captured, std::int64_t Identity>
struct chunk_facts {
  static constexpr const auto& source = Captured::value;
  static constexpr int count = Captured::size.outputs;
  /// -1: the function does not have the dimension.
  static constexpr int symbol = [] {
    for (int i = 0; i < source.size.symbols; ++i)
      if (source.symbols[i].kind == extent_kind::named && source.symbols[i].a == Identity) return i;
    return -1;
  }();
  static constexpr extent_code dimension = -1 - symbol;
  static constexpr auto known = chunk_analysis(source, dimension).found;
  /// Of the outputs.
  static constexpr indexed_array<bool, count> is_along = [] {
    indexed_array<bool, count> along{};
    for (int i = 0; i < count; ++i) along[i] = known[source.outputs[i]] == dependence::along;
    return along;
  }();
  static constexpr indexed_array<int, count> element_sizes = [] {
    indexed_array<int, count> sizes{};
    for (int i = 0; i < count; ++i) sizes[i] = size_of(source.nodes[source.outputs[i]].type);
    return sizes;
  }();
  static constexpr int total_count = [] {
    int n = 0;
    for (int id = 0; id < source.size.nodes; ++id) n += known[id] == dependence::over;
    return n;
  }();
  static constexpr indexed_array<chunk_total, total_count> totals = [] {
    indexed_array<chunk_total, total_count> every{};
    std::size_t i = 0;
    for (int id = 0; id < source.size.nodes; ++id)
      if (known[id] == dependence::over)
        every[i++] = {total_of(source.nodes[id]), combiner_of(source.nodes[id])->id,
                      source.shapes[source.nodes[id].shape]};
    return every;
  }();
};

template <class Facts, bool IsPiece>
struct chunk_pass {
  static constexpr graph_size guess = [] {
    graph_size s = Facts::source.size;
    s.nodes += 32;
    s.operands += 64;
    s.shapes += 4;
    s.inputs += 1;
    s.shared += 16;
    s.updates += 16;
    return s;
  }();
  static constexpr auto run(auto use) {
    graph g;
    chunk_part(Facts::source, Facts::known, Facts::dimension, IsPiece, g);
    return use(g);
  }
};
/// The part of a function with these `chunk_facts` that is computed for each piece, or once.
template <class Facts, bool IsPiece>
struct chunk : frozen_pass<chunk_pass<Facts, IsPiece>> {};

}  // namespace kroton::passes
