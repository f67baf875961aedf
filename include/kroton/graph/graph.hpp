// This header has the graph: a flat array of nodes, each after its operands. Equal nodes are found by hashing and are
// one.
//
//     exp(x) + exp(x)  ->  %0 = input, %1 = exp(%0), %2 = add(%1, %1)
#pragma once

#include <kroton/graph/adjoints.hpp>
#include <kroton/graph/initializer.hpp>
#include <kroton/graph/operation.hpp>

#include <bit>

namespace kroton::graph {

/// The name of a context. There is one object for each name, so that its address is the name.
struct place_name {
  std::uint64_t id = 0;  ///< hash of the type
  const char* text = nullptr;
};

/// The name of a place: that of its context, `session` or `host`.
constexpr const char* place_text(const place_name* const* names, place_id place) {
  if (place >= first_named_place) return names[place - first_named_place]->text;
  return place == at_host ? "host" : "session";
}

/// Where an operation runs whose operands are here and there: a named context is stronger than the context of the
/// session, and that than the host. Of two named contexts, the first.
constexpr place_id stronger(place_id x, place_id y) {
  constexpr int strength[] = {0, 2, 1, 3};  // anywhere, at_home, at_host, named
  return x == y || strength[(y < first_named_place ? y : first_named_place) + 1] <=
                       strength[(x < first_named_place ? x : first_named_place) + 1]
             ? x
             : y;
}

/// Loops, a bit for each. A node is in the loops on whose iterations its value depends: what depends on none is
/// computed once, wherever it was written.
using loop_set = std::uint64_t;
constexpr loop_set set_of_loop(int loop) { return loop_set{1} << loop; }
/// The innermost of some loops: inner loops begin later, and have higher numbers.
constexpr int innermost(loop_set loops) { return 63 - std::countl_zero(loops); }

struct node {
  const operation* op = nullptr;
  attributes attr;
  int shape = 0;  ///< index into graph::shapes
  int first = 0;  ///< operands are graph::operands[first, first + count)
  int count = 0;
  dtype type = dtype::float32;
  place_id place = at_home;
  loop_set loops = 0;
  friend constexpr bool operator==(const node&, const node&) = default;
};
/// Whether a node is a result of a loop.
constexpr bool is_result_of(const node& n, int loop) {
  return is_loop_result(n.op->kind) && loop_row_form::loop_number(n.attr) == loop;
}

/// Functions have at most this many loops, those of gradients included.
inline constexpr int most_loops = 60;

/// An argument of the function, or a shared variable of the model.
struct variable {
  const char* name = "";  ///< "": an argument that has none
  dtype type = dtype::float32;
  int shape = 0;
  int parent = -1;      ///< enclosing block of a shared variable (index into graph::blocks), -1: the model itself
  initializer initial;  ///< of a shared variable
  place_id place = at_home;
  bool is_trained = true;  ///< whether a shared variable is one of the model's parameters
  bool is_placed = false;  ///< whether the caller gives an argument at its place
  friend constexpr bool operator==(const variable&, const variable&) = default;
};

/// A prefix of shared variables' names.
struct block_name {
  const char* name = nullptr;
  int index = -1;  ///< position in a stack, -1: not in one
  int parent = -1;
  friend constexpr bool operator==(const block_name&, const block_name&) = default;
};

/// The new value of a shared variable.
struct update_entry {
  int target = 0;  ///< shared variable
  int source = 0;  ///< node
  friend constexpr bool operator==(const update_entry&, const update_entry&) = default;
};

/// A gradient that was asked for, so that it can be checked (runtime/reference/backward.hpp).
struct gradient_entry {
  int cost = 0, variable = 0, gradient = 0;  ///< nodes
  friend constexpr bool operator==(const gradient_entry&, const gradient_entry&) = default;
};

/// The gradients that a value gives to what it is computed from, in place of its own (ops/custom_gradient.hpp).
struct custom_rule {
  int arriving = 0;            ///< the node that stands for the gradient of the value
  array_list<int> gradients;   ///< the node for each operand after the first
  bool is_recomputed = false;  ///< whether they are those of a second run of what computed the value
  bool is_exact = false;       ///< whether they are the gradients of the value
};

/// Mistakes that only the finished capture shows; reported where the function is compiled.
enum class mistake : std::uint8_t {
  none,
  refused,  ///< an operation was refused by the types of its operands, which has been said
  disconnected_gradient,
  integer_gradient,
  no_derivative,
  backward,  ///< a backward rule adds what is no gradient of an operand
  unused_argument,
  replaced_argument,
  double_update,
  update_extents,
  given_not_found,
  slice_bound,
  computed_bound,
  extents,
  elements,
  no_elements,
  loop_value,
  loop_options,
  many_loops,
  many_axes,
  other_model,
  double_name,
  double_block,
  double_context,
  open_dimension,
  result,
  number,
  no_parameters,
  gradient_count,
  gradient_order,
  unkept_parameter,
  weight_option,
  positive_option,
  negative_option,
  kept_axes,
  draws,
  empty_range,
  probability,
  deviation
};

/// A mistake, and what is known of it.
struct diagnosis {
  mistake what = mistake::none;
  unsigned line = 0;                ///< of the user's source, 0: not known
  int argument = -1, shared = -1;   ///< position of the argument or shared variable it is about
  const char* operation = nullptr;  ///< name of the operation it is about
  const char* option = nullptr;     ///< name of the option it is about
  const char* dimension = nullptr;  ///< name of the dimension it is about
  extent_code a = -1, b = -1;       ///< numbers that do not fit each other
  dtype type = dtype::boolean;      ///< the element type that a number does not fit
  std::int64_t number = 0;          ///< that number, 0: not known
  friend constexpr bool operator==(const diagnosis&, const diagnosis&) = default;
};

class graph {
 public:
  array_list<node> nodes;
  array_list<int> operands;
  interned_list<shape> shapes;
  extent_table extents;
  array_list<variable> inputs, shared;
  array_list<block_name> blocks;
  array_list<const place_name*> places;  ///< named contexts
  array_list<int> outputs;
  array_list<place_id> output_places;  ///< of each output that stays at its place; anywhere: the host gets it
  array_list<update_entry> updates;
  array_list<update_entry> default_updates;  ///< of functions that read the variable; no pass sees them
  array_list<gradient_entry> gradients;
  array_list<cost_adjoints> differentiated;
  array_list<custom_rule> custom_rules;
  diagnosis problem;
  int draws = 0;                       ///< of random numbers
  array_list<int> loops;               ///< of each loop: the one around it, -1: none
  array_list<extent_code> iterations;  ///< of each loop whose body is recorded, for what is drawn there
  array_list<int> steps_back;          ///< of each loop: the iterations through which gradients go back, 0: all
  array_list<int> guards;              ///< of each loop: the node that says whether it runs, -1: it does
  loop_set lifted_loops = 0;           ///< loops whose bodies are lifted, so that nothing of them is left
  int open_loop = -1;                  ///< the loop whose body is being recorded, -1: none
  bool is_temporary = false;
  bool is_sketch = false;       ///< gradients are not wanted, as nobody looks at the nodes
  graph* keeper = nullptr;      ///< of a temporary graph: what keeps it, to which its nodes are copied
  array_list<int> moved;        ///< what they are there; -1: not copied
  array_list<int> moved_loops;  ///< the same of loops
  owned_list<graph> kept;

  constexpr int operand(int id, int i) const { return operands.items[nodes.items[id].first + i]; }
  constexpr const shape& shape_of(int id) const { return shapes.items[nodes.items[id].shape]; }
  constexpr int size() const { return nodes.size(); }

  constexpr int intern(const shape& s) { return shapes.intern(s); }

  /// The number of a named context.
  constexpr place_id place_named(const place_name& name) {
    int i = 0;
    while (i < places.size() && places[i]->id != name.id) {
      if (same_text(places[i]->text, name.text)) report({.what = mistake::double_context});
      ++i;
    }
    if (i == places.size()) places.push_back(&name);
    return static_cast<place_id>(first_named_place + i);
  }

  /// The place at which output `i` stays; anywhere: the host gets it.
  constexpr place_id place_of_output(int i) const { return i < output_places.size() ? output_places[i] : anywhere; }

  /// Where an operation runs: where its operands are.
  constexpr place_id place_of(const operation* op, const attributes& attr, const int* args, int count) const {
    if (count == 0)
      return op->kind == op_kind::input    ? inputs[variable_form::of(attr).position].place
             : op->kind == op_kind::shared ? shared[variable_form::of(attr).position].place
                                           : anywhere;
    if (op->kind == op_kind::transfer) return transfer_form::of(attr).to;
    const node* every = nodes.items;
    place_id place = every[args[0]].place;
    for (int i = 1; i < count; ++i)
      if (every[args[i]].place != place) place = stronger(place, every[args[i]].place);
    return place;
  }

  /// The loops that an operation is in: those of its operands, and that whose row or carried variable it is, but not
  /// that whose result it is.
  constexpr loop_set loops_of(const operation* op, const attributes& attr, const int* args, int count) const {
    loop_set set = 0;
    for (int i = 0; i < count; ++i) set |= nodes.items[args[i]].loops;
    if (op->kind < op_kind::loop_row) return set;
    const int own = loop_row_form::loop_number(attr);
    return is_loop_result(op->kind) ? set & ~set_of_loop(own) : set | with_outer(own);
  }

  /// The node with these properties: the one there is, or a new one.
  constexpr int add(const operation* op, dtype type, int shape, const attributes& attr, const int* args, int count) {
    return add(op, type, shape, attr, args, count, place_of(op, attr, args, count));
  }
  /// The same at a given place.
  constexpr int add(const operation* op, dtype type, int shape, const attributes& attr, const int* args, int count,
                    place_id place) {
    const int size = nodes.size();
    if (size >= room_) rehash();
    int* table = table_.items;
    std::uint32_t at = hash(op, shape, attr, args, count) & mask_;
    for (; table[at] != 0; at = (at + 1) & mask_) {
      const node& n = nodes.items[table[at] - 1];
      if (n.place == place && n.shape == shape && n.count == count && matches(n, op, type, attr, args))
        return table[at] - 1;
    }
    const int first = operands.size();
    operands.append(args, count);
    nodes.push_back({op, attr, shape, first, count, type, place, loops_of(op, attr, args, count)});
    seen_ |= std::uint64_t{1} << (static_cast<std::uint64_t>(op->id) & 63);
    table[at] = size + 1;
    return size;
  }

  /// Appends nodes that are known to be new, and whose operands are those of another graph of which this one has all.
  constexpr void append(const node* first, int count) {
    nodes.append(first, count);
    for (int i = 0; i < count; ++i) seen_ |= std::uint64_t{1} << (static_cast<std::uint64_t>(first[i].op->id) & 63);
  }

  /// Whether there may be a node of this operation; rules that look for it need not begin otherwise.
  constexpr bool may_have(operation_id id) const { return ((seen_ >> (static_cast<std::uint64_t>(id) & 63)) & 1) != 0; }

  /// Notes a mistake; only the first one is reported.
  constexpr void report(const diagnosis& found) {
    if (problem.what == mistake::none) problem = found;
  }
  constexpr void report(mistake what) { report(diagnosis{what}); }

  /// A loop and those around it.
  constexpr loop_set with_outer(int loop) const {
    loop_set set = 0;
    for (; loop >= 0; loop = loops[loop]) set |= set_of_loop(loop);
    return set;
  }
  /// The number of a new loop in the body that is being recorded, through whose last `back` iterations gradients go, or
  /// through all for 0.
  constexpr int new_loop(int back = 0, extent_code count = 1) { return new_loop_in(open_loop, back, count); }
  /// The same in the body of another loop, -1: in none.
  constexpr int new_loop_in(int outer, int back = 0, extent_code count = 1) {
    if (loops.size() == most_loops) report(mistake::many_loops);
    else {
      loops.push_back(outer);
      iterations.push_back(count);
      steps_back.push_back(back);
      guards.push_back(-1);
    }
    return loops.size() - 1;
  }

 private:
  array_list<int> table_;  // open addressing; node + 1, 0 is free
  int room_ = 0;           // for nodes in there, half of its places
  std::uint32_t mask_ = 0;
  std::uint64_t seen_ = 0;  // a bit for each operation, which several share

  constexpr static std::uint32_t hash(const operation* op, int shape, const attributes& attr, const int* args,
                                      int count) {
    std::uint32_t h = static_cast<std::uint32_t>(op->id) ^ attr.hash() ^ (static_cast<std::uint32_t>(shape) << 20);
    for (int i = 0; i < count; ++i) h = (h ^ static_cast<std::uint32_t>(args[i])) * 0x01000193u;
    return h ^ (h >> 16);
  }
  constexpr bool matches(const node& n, const operation* op, dtype type, const attributes& attr,
                         const int* args) const {
    if (n.op->id != op->id || n.type != type || !(n.attr == attr)) return false;
    const int* known = operands.items;
    for (int i = 0; i < n.count; ++i)
      if (known[n.first + i] != args[i]) return false;
    return true;
  }
  constexpr void rehash() {
    const int count = nodes.size();
    int size = 128;
    while (size < 4 * (count + 1)) size *= 2;
    table_ = array_list<int>(size, 0);
    room_ = size / 2;
    mask_ = static_cast<std::uint32_t>(size - 1);
    const node* every = nodes.items;
    const int* args = operands.items;
    int* table = table_.items;
    for (int i = 0; i < count; ++i) {
      const node& n = every[i];
      std::uint32_t at = hash(n.op, n.shape, n.attr, args + n.first, n.count) & mask_;
      while (table[at] != 0) at = (at + 1) & mask_;
      table[at] = i + 1;
    }
  }
};

/// While it lives, what is recorded in a graph is in the body of a loop.
class body_scope {
 public:
  constexpr body_scope(graph& g, int loop) : graph_(g), outside_(g.open_loop) { g.open_loop = loop; }
  constexpr ~body_scope() { graph_.open_loop = outside_; }
  body_scope(const body_scope&) = delete;
  body_scope& operator=(const body_scope&) = delete;

 private:
  graph& graph_;
  int outside_;
};

}  // namespace kroton::graph
