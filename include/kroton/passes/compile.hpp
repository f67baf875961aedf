// This header evaluates each pass as a constant of its own, whose size is exact.
//
//     rewritten<Source>  ->  first evaluation, into arrays of a guessed size: 7 nodes of 40 are used
//                        ->  value: frozen_graph with 7 nodes
//
// If a limit of the compiler ends an evaluation, `is_evaluated` is false and the passes after it see an empty graph;
// passes/pipeline.hpp has the order of the passes and says which limit was reached.
#pragma once

#include <kroton/passes/contract.hpp>
#include <kroton/passes/rewrite.hpp>
#include <kroton/passes/code_motion.hpp>
#include <kroton/passes/loop_division.hpp>
#include <kroton/passes/lower.hpp>
#include <kroton/passes/place.hpp>
#include <kroton/passes/reciprocals.hpp>
#include <kroton/passes/reuse.hpp>

namespace kroton::passes {

/// Room for the result of a pass over a graph of size `s`.
constexpr graph_size with_room(graph_size s) {
  s.nodes += s.nodes / 2 + 32;
  s.operands += s.operands / 2 + 64;
  s.shapes += s.shapes / 2 + 16;
  s.symbols += s.symbols + s.nodes / 8 + 8;  // slices begin somewhere
  s.requirements += 16;
  s.motions += s.motions + 16;
  s.gradients = 0;  // only the captured graph lists them
  return s;
}

/// Room for transfers, one for each operand at most.
constexpr graph_size with_transfers(graph_size s) {
  s.nodes += s.operands + s.outputs + s.updates;
  s.operands *= 2;
  s.gradients = 0;
  return s;
}
template <class Source>
struct placement_pass {
  static constexpr graph_size guess = with_transfers(Source::size);
  static constexpr auto run(auto use) {
    graph g;
    transfer_insertion(Source::value, g);
    return use(g);
  }
};
/// The captured graph with the transfers that it needs.
template <class Source, bool = is_all_at_home(Source::value)>
struct placed : Source {};
template <class Source>
struct placed<Source, false> : frozen_pass<placement_pass<Source>> {};

template <class Source>
struct code_motion_pass {
  static constexpr graph_size guess = with_room(Source::size);
  static constexpr auto run(auto use) {
    graph g;
    code_motion(Source::value, g);
    return use(g);
  }
};
/// The graph with less in its loops.
template <class Source, bool = (Source::size.loops > 0)>
struct moved_out : Source {};
template <class Source>
struct moved_out<Source, true> : frozen_pass<code_motion_pass<Source>> {};

/// A graph in which quotients by the same divisor may be products with its reciprocal.
template <class Source>
struct sharing_reciprocals : Source {
  static constexpr bool shares_reciprocals = true;
};

template <class Source, class Moved>
struct rewrite_pass {
  static constexpr graph_size guess = with_room(Moved::size);
  static constexpr auto run(auto use) {
    graph g;
    rewrite(Moved::value, g);
    if constexpr (requires { Source::shares_reciprocals; }) reciprocal_sharing(g).run();
    return use(g);
  }
};
/// The graph in its stable form, but with products as they were written: what is divided afterwards is as exact as what
/// is not.
template <class Source>
struct stabilised : frozen_pass<rewrite_pass<Source, moved_out<Source>>> {};
/// The same with loops as they were written: products of the rows of all iterations have no dimension as an axis.
template <class Source, bool = (Source::size.loops > 0)>
struct divisible : stabilised<Source> {};
template <class Source>
struct divisible<Source, true> : frozen_pass<rewrite_pass<Source, Source>> {};

template <class Source>
struct contraction_pass {
  static constexpr graph_size guess = with_room(Source::size);
  static constexpr auto run(auto use) {
    graph g;
    thaw(Source::value, g);
    contraction(g).run();
    return use(g);
  }
};
template <class Source>
struct rewritten : frozen_pass<contraction_pass<stabilised<Source>>> {};

template <class Source>
struct layout_pass {
  static constexpr graph_size guess = with_room(Source::size);
  static constexpr auto run(auto use) {
    graph g;
    lay_out(Source::value, g);
    if constexpr (is_all_at_home(Source::value)) {
      return use(g);
    } else {
      graph settled;
      thaw_frame(Source::value, settled);
      settled.extents = g.extents;
      settled.shapes = g.shapes;
      settlement(g, settled);
      view_list().extend(settled);
      return use(settled);
    }
  }
};
template <class Source>
struct laid_out : frozen_pass<layout_pass<Source>> {};

/// The views of the nodes of a laid-out graph.
template <class Source>
struct viewed {
  struct list {
    view_map of[Source::size.nodes + 1];
  };
  struct evaluation {
    static constexpr list run() {
      graph g;
      thaw(Source::value, g);
      view_list views;
      views.extend(g);
      list every{};
      copy_items(every.of, views, Source::size.nodes);
      return every;
    }
  };
  static constexpr bool is_evaluated = evaluable<evaluation>;
  static constexpr const list& value = evaluated_or_empty<evaluation>();
};

/// The groups of a laid-out graph, in order. Fusion and order are evaluated one after the other, so that each may take
/// what the compilers allow an evaluation.
template <class Source>
struct grouped {
  using groups = frozen_groups<Source::size.nodes>;
  struct fusion {
    static constexpr groups run() {
      graph g;
      thaw(Source::value, g);
      return fuse_nodes<Source::size.nodes>(g, viewed<Source>::value.of);
    }
  };
  struct ordering {
    static constexpr groups run() {
      groups f = evaluated_or_empty<fusion>();
      graph g;
      thaw(Source::value, g);
      order_groups(g, f, viewed<Source>::value.of);
      return f;
    }
  };
  static constexpr bool is_evaluated = evaluable<fusion> && evaluable<ordering>;
  static constexpr const groups& value = evaluated_or_empty<ordering>();
};

/// A program at its exact size; lowered once if it fits into a guess made from the size of the graph.
template <class Source>
struct lowered {
  static constexpr program_size guess = [] {
    constexpr graph_size s = Source::size;
    const int nodes = s.nodes + 16;
    return program_size{nodes + s.shared,
                        3 * nodes,
                        3 * nodes,
                        nodes,
                        nodes,
                        nodes,
                        s.updates,
                        s.loops > 0 ? 3 * nodes : 0,
                        s.loops,
                        2 * s.symbols + 16,
                        s.requirements + 16};
  }();
  struct attempt {
    program<guess> value{};
    program_size used{};
  };
  static constexpr auto run(auto use) {
    graph g;
    thaw(Source::value, g);
    return use(lowering(g, grouped<Source>::value, viewed<Source>::value.of).run());
  }
  struct first_evaluation {
    static constexpr attempt run() {
      return lowered::run([](const program_builder& b) {
        attempt a;
        a.used = size_of(b);
        if (fits(a.used, guess)) fill(a.value, a.used, b);
        return a;
      });
    }
  };
  static constexpr program_size size = evaluated_or_empty<first_evaluation>().used;
  struct evaluation {
    static constexpr program<size> run() {
      program<size> p{};
      if constexpr (fits(size, guess)) {
        const program<guess>& first = evaluated_or_empty<first_evaluation>().value;
        fill(p, size, first);
      } else {
        lowered::run([&](const program_builder& b) {
          fill(p, size, b);
          return 0;
        });
      }
      memory_reuse{p};
      if constexpr (size.loops > 0) loop_division{p};
      else keep_blocked_memory(p);
      return p;
    }
  };
  static constexpr bool is_evaluated = evaluable<first_evaluation> && evaluable<evaluation>;
  static constexpr program<size> value = evaluated_or_empty<evaluation>();
};

}  // namespace kroton::passes
