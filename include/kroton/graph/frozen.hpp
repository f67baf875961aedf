// This header freezes graphs: it copies a growing graph into plain arrays of exact size, which a constexpr variable can
// hold between two passes, and makes a growing graph of them again.
//
//     graph with 7 nodes, 9 operands  ->  frozen_graph<{7, 9, ...}>  ->  thaw  ->  graph
#pragma once

#include <kroton/graph/graph.hpp>

namespace kroton {

namespace graph {
struct graph_size {
  int nodes, operands, shapes, symbols, requirements, motions, loops, inputs, shared, blocks, places, output_places,
      outputs, updates, gradients;
};

/// The extents of a graph, which grows, or of a frozen one.
constexpr const extent_table& extent_lists(const graph& g) { return g.extents; }
constexpr extent_table& extent_lists(graph& g) { return g.extents; }
constexpr auto& extent_lists(auto& frozen) { return frozen; }

/// Calls `use` with each list of graphs that a pass that writes all nodes anew takes over, and with that of the others;
/// `of` may be a graph, a frozen one, or a graph_size, which has a number for each list.
constexpr void for_each_frame_list(auto use, auto&... of) {
  use(of.shapes...);
  use(extent_lists(of).symbols...);
  use(extent_lists(of).requirements...);
  use(extent_lists(of).motions...);
  use(of.loops...);
  use(of.inputs...);
  use(of.shared...);
  use(of.blocks...);
  use(of.places...);
  use(of.output_places...);
}
/// The same of the lists that come with the nodes.
constexpr void for_each_node_list(auto use, auto&... of) {
  use(of.operands...);
  use(of.outputs...);
  use(of.updates...);
  use(of.gradients...);
}
/// The same of all lists of graphs. Whoever adds one to graph names it in graph_size, in frozen_graph and here.
constexpr void for_each_list(auto use, auto&... of) {
  for_each_frame_list(use, of...);
  use(of.nodes...);
  for_each_node_list(use, of...);
}
}  // namespace graph

constexpr graph::graph_size size_of(const graph::graph& g) {
  graph::graph_size size{};
  graph::for_each_list([](int& count, const auto& list) { count = list.size(); }, size, g);
  return size;
}

namespace graph {
template <graph_size Size>
struct frozen_graph {
  static constexpr graph_size size = Size;
  plain_array<node, Size.nodes + 1> nodes;  // one more, because arrays are never empty
  plain_array<int, Size.operands + 1> operands;
  plain_array<kroton::shape, Size.shapes + 1> shapes;
  plain_array<extent_symbol, Size.symbols + 1> symbols;
  plain_array<requirement, Size.requirements + 1> requirements;
  plain_array<loop_motion, Size.motions + 1> motions;
  plain_array<int, Size.loops + 1> loops;
  plain_array<variable, Size.inputs + 1> inputs;
  plain_array<variable, Size.shared + 1> shared;
  plain_array<block_name, Size.blocks + 1> blocks;
  plain_array<const place_name*, Size.places + 1> places;
  plain_array<place_id, Size.output_places + 1> output_places;
  plain_array<int, Size.outputs + 1> outputs;
  plain_array<update_entry, Size.updates + 1> updates;
  plain_array<gradient_entry, Size.gradients + 1> gradients;
  diagnosis problem;
};

/// Copies `used` of everything from `from`: a graph, or a frozen one of at least that size.
template <graph_size Size>
constexpr void fill(frozen_graph<Size>& f, const graph_size& used, const auto& from) {
  for_each_list([](auto* to, int count, const auto& list) { copy_items(to, list, count); }, f, used, from);
  f.problem = from.problem;
}

template <graph_size Size>
constexpr frozen_graph<Size> freeze(const auto& from) {
  frozen_graph<Size> f{};
  fill(f, Size, from);
  return f;
}

constexpr bool fits(const graph_size& used, const graph_size& room) {
  bool fit = true;
  for_each_list([&](int count, int most) { fit = fit && count <= most; }, used, room);
  return fit;
}

/// A frozen graph, if it fits into `Room`, and its size.
template <graph_size Room>
struct freeze_attempt {
  frozen_graph<Room> value{};
  graph_size used{};

  constexpr explicit freeze_attempt(const graph& g) : used(size_of(g)) {
    if (fits(used, Room)) fill(value, used, g);
  }
};
template <graph_size Room>
struct attempt_to_freeze {
  constexpr auto operator()(const graph& g) const { return freeze_attempt<Room>(g); }
};

/// The result of `Evaluation::run()`, if the compiler can evaluate it. A reference, and what it refers to, can be used
/// in constants if its value is one, and may have none, so that nothing is evaluated only to find out.
template <class Evaluation>
struct attempted {
  struct outcome {
    decltype(Evaluation::run()) made;
    bool is_made;
  };
  static constexpr const outcome run() { return {Evaluation::run(), true}; }
  static const outcome& value;
};
template <class Evaluation>
inline const typename attempted<Evaluation>::outcome& attempted<Evaluation>::value = attempted<Evaluation>::run();
template <class Evaluation>
concept attempt_succeeds = requires {
  typename std::bool_constant<attempted<Evaluation>::value.is_made>;
};
/// Whether the compiler can evaluate it. g++ evaluates what a reference refers to as if it might run: what asks
/// std::is_constant_evaluated(), as conversions to 16-bit floats do, gets a second chance.
template <class Evaluation>
concept evaluable = attempt_succeeds<Evaluation> || requires {
  typename std::bool_constant<attempted<Evaluation>::run().is_made>;
};

/// The result of `Evaluation::run()` as a constant, or an empty result if the compiler cannot evaluate it; its users
/// report that.
template <class Evaluation>
inline constexpr auto evaluated_again = [] {
  if constexpr (evaluable<Evaluation>) return Evaluation::run();
  else return decltype(Evaluation::run()){};
}();
template <class Evaluation>
constexpr const auto& evaluated_or_empty() {
  if constexpr (attempt_succeeds<Evaluation>) return attempted<Evaluation>::value.made;
  else return evaluated_again<Evaluation>;
}

/// The graph that `Pass::run(use)` hands to `use`, frozen at its exact size. The pass is evaluated once if the result
/// fits into `Pass::guess`, else twice.
template <class Pass>
struct frozen_pass {
  static constexpr graph_size guess = Pass::guess;
  struct first {
    static constexpr auto run() { return Pass::run(attempt_to_freeze<guess>{}); }
  };
  static constexpr graph_size size = [] {
    if constexpr (attempt_succeeds<first>) return attempted<first>::value.made.used;
    else if constexpr (evaluable<first>) return first::run().used;
    else return graph_size{};
  }();
  struct second {
    static constexpr auto run() {
      return Pass::run([](const graph& g) { return freeze<size>(g); });
    }
  };
  static constexpr bool is_evaluated = [] {
    if constexpr (fits(size, guess)) return evaluable<first>;  // which needs as much as the second
    else return evaluable<second>;
  }();
  static constexpr frozen_graph<size> value = [] {
    if constexpr (attempt_succeeds<first> && fits(size, guess)) return freeze<size>(attempted<first>::value.made.value);
    else if constexpr (evaluable<first> && fits(size, guess)) return second::run();
    else return evaluated_or_empty<second>();
  }();
};

/// Appends the items of a frozen list to one that grows.
inline constexpr auto append_items = [](auto& to, const auto* items, int count) { to.append(items, count); };

/// A growing graph again, with everything of `f` but its nodes; for passes that write the nodes anew.
template <graph_size Size>
constexpr void thaw_frame(const frozen_graph<Size>& f, graph& g) {
  for_each_frame_list(append_items, g, f, Size);
  g.problem = f.problem;
}

/// The whole of `f` as a growing graph.
template <graph_size Size>
constexpr void thaw(const frozen_graph<Size>& f, graph& g) {
  thaw_frame(f, g);
  g.append(f.nodes, Size.nodes);
  for_each_node_list(append_items, g, f, Size);
}
}  // namespace graph

}  // namespace kroton
