// Divides a function along one dimension: what is computed for a piece of it after another, and what is computed once from the results.
#pragma once

#include <kroton/graph/ops.hpp>
#include <kroton/passes/live.hpp>

#include <array>

namespace kroton {

/// How a node depends on the elements along the dimension.
enum class dependence : std::uint8_t {
  none,   ///< not at all
  along,  ///< it has the dimension as an axis; each of its slices depends on the same slices of arguments
  over,   ///< it combines all slices, so that the results of pieces can be combined
  after   ///< it depends on such a combination
};

/// Why a function cannot be divided.
struct chunk_problem {
  bool is_axis = false;             ///< an argument or output has the dimension, but not as its first axis, or a shared variable has it
  const char* operation = nullptr;  ///< this one needs more of the dimension than a piece
};

/// Whether the value of an extent depends on that of `dimension`.
constexpr bool depends_on(const extent_symbol* symbols, extent_code e, extent_code dimension) {
  if (e >= 0 || e == dimension) return e == dimension;
  const extent_symbol& s = symbols[-1 - e];
  return s.kind >= extent_kind::sum && (depends_on(symbols, s.a, dimension) || depends_on(symbols, s.b, dimension));
}

/// The dependence of each of so many nodes; of one that nothing needs, none.
template <int Nodes>
struct chunk_dependences {
  dependence of[Nodes + 1] = {};
  chunk_problem problem;
  constexpr dependence operator[](int id) const { return of[id]; }
};

/// Finds those of `Graph`, a frozen graph.
template <class Graph>
class chunk_analysis {
 public:
  constexpr chunk_analysis(const Graph& f, extent_code dimension) : f_(f), dimension_(dimension) {
    const array_list<bool> live = live_nodes(f);
    for (int i = 0; i < f.size.shared; ++i)
      if (axis_of(f.shapes[f.shared[i].shape]) != no_axis) found.problem.is_axis = true;
    for (int id = 0; id < f.size.nodes; ++id)
      if (live[id]) found.of[id] = look(id);
    for (int i = 0; i < f.size.outputs; ++i)
      if (found[f.outputs[i]] == dependence::along && axis_of_node(f.outputs[i]) != 0) found.problem.is_axis = true;
  }
  chunk_dependences<Graph::size.nodes> found;

 private:
  static constexpr int no_axis = -1, several = -2;
  const Graph& f_;
  extent_code dimension_;

  /// The axis of a shape that is the dimension.
  constexpr int axis_of(const shape& s) const {
    int at = no_axis;
    for (int axis = 0; axis < s.rank; ++axis)
      if (depends_on(f_.symbols, s[axis], dimension_)) at = at == no_axis && s[axis] == dimension_ ? axis : several;
    return at;
  }
  constexpr const shape& shape_of(int id) const { return f_.shapes[f_.nodes[id].shape]; }
  constexpr int axis_of_node(int id) const { return axis_of(shape_of(id)); }
  constexpr int operand(const node& n, int i) const { return f_.operands[n.first + i]; }
  constexpr dependence refuse(const char* operation) {
    if (found.problem.operation == nullptr) found.problem.operation = operation;
    return dependence::none;
  }
  /// The name of the operation that node `id` has its combination of slices from.
  constexpr const char* combination_of(int id) const {
    while (found[id] != dependence::over) {
      const node& n = f_.nodes[id];
      int i = 0;
      while (found[operand(n, i)] < dependence::over) ++i;
      id = operand(n, i);
    }
    return f_.nodes[id].op->name;
  }

  constexpr dependence look(int id) {
    const node& n = f_.nodes[id];
    const int axis = axis_of_node(id);
    bool has_along = false;
    int after = -1;
    for (int i = 0; i < n.count; ++i) {
      has_along = has_along || found[operand(n, i)] == dependence::along;
      if (found[operand(n, i)] >= dependence::over) after = operand(n, i);
    }
    if (n.op->kind == op_kind::input && axis > 0) found.problem.is_axis = true;
    if (axis == several) return refuse(n.op->name);
    if (axis == no_axis && !has_along) return after >= 0 ? dependence::after : dependence::none;
    if (after >= 0) return refuse(combination_of(after));
    const bool fits = axis == no_axis ? combines(n) : keeps(n, axis);
    return !fits ? refuse(n.op->name) : axis == no_axis ? dependence::over : dependence::along;
  }

  /// Whether operand `i` has the dimension as axis `axis`; -1: not at all.
  constexpr bool has_at(const node& n, int i, int axis) const { return axis_of_node(operand(n, i)) == axis; }

  /// Whether each slice of a node along `axis` is computed from the same slices of its operands.
  constexpr bool keeps(const node& n, int axis) const {
    const int rank = f_.shapes[n.shape].rank, from_right = rank - axis;
    const shape& x = n.count > 0 ? shape_of(operand(n, 0)) : f_.shapes[n.shape];
    switch (n.op->kind) {
      case op_kind::input: return axis == 0;
      case op_kind::transfer: return true;
      case op_kind::map:
      case op_kind::broadcast:
        for (int i = 0; i < n.count; ++i) {  // an extent that is found to be the same only at the call is not divided
          const shape& s = shape_of(operand(n, i));
          if (s.rank >= from_right && s[s.rank - from_right] != dimension_ && s[s.rank - from_right] != 1) return false;
        }
        return !depends_on(f_.symbols, n.attr.a, dimension_);  // the bound of an index
      case op_kind::reduce:
      case op_kind::transpose: return axis_of(x) >= 0;
      case op_kind::reshape: return axis_of(x) >= 0 && same_before(x, axis_of(x), f_.shapes[n.shape], axis);
      case op_kind::slice:
      case op_kind::embed: return has_at(n, 0, axis) && (n.attr.a & 15) != axis && !depends_on(f_.symbols, n.attr.b, dimension_);
      case op_kind::concatenate: {
        bool all = n.attr.a != axis;
        for (int i = 0; i < n.count; ++i) all = all && has_at(n, i, axis);
        return all;
      }
      case op_kind::dot: {
        const int x_rank = x.rank, y_rank = shape_of(operand(n, 1)).rank;
        if (axis == rank - 2) return has_at(n, 0, x_rank - 2) && has_at(n, 1, no_axis);
        if (axis == rank - 1) return has_at(n, 0, no_axis) && has_at(n, 1, y_rank - 1);
        return has_at(n, 0, x_rank == rank ? axis : no_axis) && has_at(n, 1, y_rank == rank ? axis : no_axis);
      }
      case op_kind::take: {
        const int index_rank = shape_of(operand(n, 1)).rank;
        if (axis < index_rank) return has_at(n, 0, no_axis) && has_at(n, 1, axis);
        return has_at(n, 0, axis - index_rank + 1) && has_at(n, 1, no_axis);
      }
      case op_kind::scatter_add: return axis > 0 && has_at(n, 0, no_axis) && has_at(n, 1, x.rank + axis - 1);
      default: return false;  // iota: numbers count on from piece to piece
    }
  }
  /// Whether two shapes have the same extents, multiplied, before these axes.
  constexpr bool same_before(const shape& x, int x_axis, const shape& y, int y_axis) const {
    std::int64_t of_x = 1, of_y = 1;
    for (int i = 0; i < x_axis; ++i) of_x = x[i] < 0 ? -1 : of_x * x[i];
    for (int i = 0; i < y_axis; ++i) of_y = y[i] < 0 ? -1 : of_y * y[i];
    return of_x == of_y && of_x >= 0;
  }
  /// Whether a node combines slices, of which each is computed from the same slices of its operands.
  constexpr bool combines(const node& n) const {
    const int x = axis_of_node(operand(n, 0));
    if (n.op->kind == op_kind::reduce) return n.op->id != id_of<ops::argmax> && n.op->id != id_of<ops::argmin>;
    if (n.op->kind == op_kind::dot) return x == shape_of(operand(n, 0)).rank - 1 && has_at(n, 1, shape_of(operand(n, 1)).rank - 2);
    return n.op->kind == op_kind::scatter_add && x >= 0 && has_at(n, 1, x);
  }
};

/// The operation that combines the combinations of pieces.
constexpr const operation* combiner_of(const node& n) {
  const operation* combine = op<ops::add>;
  if (n.op->id == id_of<ops::prod>) combine = op<ops::mul>;
  if (n.op->id == id_of<ops::max>) combine = op<ops::maximum>;
  if (n.op->id == id_of<ops::min>) combine = op<ops::minimum>;
  if (n.op->id == id_of<ops::all>) combine = op<ops::logical_and>;
  if (n.op->id == id_of<ops::any>) combine = op<ops::logical_or>;
  return combine;
}
/// A combination, as data that refer to no operation.
struct chunk_total {
  operation_id combine{};
  dtype type = dtype::float32;
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

/// Writes one of the two parts of a divided function. Both have further inputs: the combinations, of the pieces before or of all, and the
/// extent of the whole dimension. Outputs of the pieces are those along the dimension and the combinations; the rest has the other outputs and all updates.
template <class Graph>
class chunk_part {
 public:
  constexpr chunk_part(const Graph& f, const chunk_dependences<Graph::size.nodes>& known, extent_code dimension, bool is_piece, graph& g)
      : f_(f), known_(known), g_(g), dimension_(dimension), is_piece_(is_piece), needed_(f.size.nodes, false), renamed_(f.size.nodes, -1) {
    thaw_frame(f, g);
    mark();
    for (int id = 0; id < f.size.nodes; ++id)
      if (is_total(id)) add_input("total", f.nodes[id].type, f.nodes[id].shape);
    add_input("extent", dtype::int64, g.intern(shape()));
    int total = 0;
    for (int id = 0; id < f.size.nodes; ++id) {
      if (needed_[id]) write(id, f.size.inputs + total);
      total += is_total(id);
    }
    for (int i = 0; i < f.size.outputs; ++i)
      if ((known_[f.outputs[i]] == dependence::along) == is_piece) g.outputs.push_back(renamed_[f.outputs[i]]);
    if (is_piece) {
      total = 0;
      for (int id = 0; id < f.size.nodes; ++id)
        if (is_total(id)) g.outputs.push_back(combined(id, f.size.inputs + total++));
    } else {
      for (int i = 0; i < f.size.updates; ++i) g.updates.push_back(update_entry{f.updates[i].target, renamed_[f.updates[i].source]});
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
  constexpr void add_input(const char* name, dtype type, int shape) {
    variable made;
    made.name = name;
    made.type = type;
    made.shape = shape;
    g_.inputs.push_back(made);
  }
  constexpr term input(int index) {
    return {&g_, g_.add(op<ops::input>, g_.inputs[index].type, g_.inputs[index].shape, {index, 0, 0}, nullptr, 0)};
  }
  constexpr void write(int id, int total) {
    const node& n = f_.nodes[id];
    if (!is_piece_ && is_total(id)) {
      renamed_[id] = input(total).id;
    } else if (n.op->kind == op_kind::extent && depends_on(f_.symbols, n.attr.a, dimension_)) {
      renamed_[id] = cast(whole(n.attr.a), n.type).id;
    } else {
      array_list<int> args;
      for (int i = 0; i < n.count; ++i) args.push_back(renamed_[f_.operands[n.first + i]]);
      renamed_[id] = g_.add(n.op, n.type, n.shape, n.attr, args.begin(), n.count);
    }
  }
  /// The value of an extent when the dimension is whole.
  constexpr term whole(extent_code e) {
    if (e == dimension_) return input(g_.inputs.size() - 1);
    if (e >= 0 || !depends_on(f_.symbols, e, dimension_)) return extent_value(g_, dtype::int64, e);
    const extent_symbol& s = f_.symbols[-1 - e];
    const term a = whole(s.a), b = whole(s.b);
    if (s.kind == extent_kind::sum) return a + b;
    if (s.kind == extent_kind::difference) return maximum(a - b, 0);
    if (s.kind == extent_kind::product) return a * b;
    return (a + b - 1) / b;
  }
  constexpr int combined(int id, int total) {
    const node& n = f_.nodes[id];
    const int args[] = {input(total).id, renamed_[id]};
    return g_.add(combiner_of(n), n.type, n.shape, {}, args, 2);
  }
};

/// What is known of the function in `Captured::value`, divided along the dimension whose type has this hash.
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
  static constexpr std::array<bool, static_cast<std::size_t>(count)> is_along = [] {
    std::array<bool, static_cast<std::size_t>(count)> along{};
    for (int i = 0; i < count; ++i) along[static_cast<std::size_t>(i)] = known[source.outputs[i]] == dependence::along;
    return along;
  }();
  static constexpr std::array<int, static_cast<std::size_t>(count)> element_sizes = [] {
    std::array<int, static_cast<std::size_t>(count)> sizes{};
    for (int i = 0; i < count; ++i) sizes[static_cast<std::size_t>(i)] = size_of(source.nodes[source.outputs[i]].type);
    return sizes;
  }();
  static constexpr int total_count = [] {
    int n = 0;
    for (int id = 0; id < source.size.nodes; ++id) n += known[id] == dependence::over;
    return n;
  }();
  static constexpr std::array<chunk_total, static_cast<std::size_t>(total_count)> totals = [] {
    std::array<chunk_total, static_cast<std::size_t>(total_count)> all{};
    std::size_t i = 0;
    for (int id = 0; id < source.size.nodes; ++id)
      if (known[id] == dependence::over)
        all[i++] = {combiner_of(source.nodes[id])->id, source.nodes[id].type, source.shapes[source.nodes[id].shape]};
    return all;
  }();
};

template <class Facts, bool IsPiece>
struct chunk_pass {
  static constexpr graph_size guess = [] {
    graph_size s = Facts::source.size;
    s.nodes += 32;
    s.operands += 64;
    s.shapes += 4;
    s.inputs += 17;
    s.outputs += 16;
    return s;
  }();
  static constexpr auto run(auto use) {
    graph g;
    chunk_part(Facts::source, Facts::known, Facts::dimension, IsPiece, g);
    return use(g);
  }
};
/// What is computed for a piece, or once, of a function with these `chunk_facts`.
template <class Facts, bool IsPiece>
struct chunk : frozen_pass<chunk_pass<Facts, IsPiece>> {};

}  // namespace kroton
