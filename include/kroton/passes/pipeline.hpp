// This header lists the passes of a function in their order, which is the same for the host and for devices.
//
//     captured<Function>   the user's expressions, each of them once             expr/capture.hpp
//     placed               with transfers to the places of the operations        passes/place.hpp
//     moved_out            with less in the bodies of loops                      passes/code_motion.hpp
//     stabilised           simplified, in formulas that do not overflow          passes/rewrite.hpp, reciprocals.hpp
//     rewritten            with products that scale and add                      passes/contract.hpp
//     laid_out             with views in place of reshapes, slices and the like  passes/layout.hpp
//     viewed, grouped      the view of each node, and the groups of kernels      passes/fuse.hpp, order.hpp
//     lowered              the program: steps, instructions, buffers             passes/lower.hpp, row_blocks.hpp,
//                                                                                reuse.hpp, loop_division.hpp
//     with_epilogues       the epilogues of products                             passes/epilogue.hpp
//
// The last is for devices alone, and leaves the program as it is, because the host runs it too. A backend compiles the
// program.
#pragma once

#include <kroton/passes/compile.hpp>

namespace kroton::passes {

template <class Lowered>
struct with_epilogues;  // passes/epilogue.hpp

/// The passes after the insertion of transfers, `placed<captured<Function>>`:
/// `pipeline<Placed>::lowered::value` is the program.
template <class Placed>
struct pipeline {
  using moved_out = passes::moved_out<Placed>;
  using stabilised = passes::stabilised<Placed>;
  using rewritten = passes::rewritten<Placed>;
  using laid_out = passes::laid_out<rewritten>;
  using viewed = passes::viewed<laid_out>;
  using grouped = passes::grouped<laid_out>;
  using lowered = passes::lowered<laid_out>;
  using with_epilogues = passes::with_epilogues<lowered>;

  /// Calls `use` with the name of each pass that makes a graph, and the number of nodes of the graph, in order.
  static constexpr void for_each_graph(auto use) {
    use("placed", Placed::size.nodes);
    if constexpr (Placed::size.loops > 0) use("moved out of loops", moved_out::size.nodes);
    use("stabilised", stabilised::size.nodes);
    use("rewritten", rewritten::size.nodes);
    use("laid out", laid_out::size.nodes);
  }
};

/// Whether the compiler can evaluate each pass over a graph.
template <class Placed, class Passes = pipeline<Placed>>
inline constexpr bool has_passed = (Passes::stabilised::is_evaluated) && (Passes::rewritten::is_evaluated) &&
                                   (Passes::laid_out::is_evaluated) && (Passes::viewed::is_evaluated) &&
                                   (Passes::grouped::is_evaluated) && (Passes::lowered::is_evaluated);

/// Lets the compiler evaluate each pass over a graph in a function of its own. g++ frees garbage only between
/// two functions, and each pass leaves much of it: a recurrent network of 100 steps takes 642 MiB with this and 1,157
/// without.
///
///     before: the constructor of the compiled function evaluates all passes
///     after:  need<stabilised<...>>, garbage is freed, need<rewritten<...>>, garbage is freed, ..., the constructor
///
/// The compiler takes functions in the order in which they are named, so the caller names this one before the
/// constructor. Where a limit of the compiler ends an evaluation, that is said here.
#if defined(__clang__)
template <class Placed>
constexpr void evaluate_in_turn() {
  static_assert(has_passed<Placed>, KROTON_LIMIT_REACHED);
}
#else
/// The compiler has to evaluate `Pass` to compile it. Passes that follow one that cannot be evaluated say nothing.
template <class Pass, class... Before>
constexpr void need() {
  static_assert(Pass::is_evaluated || !(Before::is_evaluated && ...), KROTON_LIMIT_REACHED);
}
template <class Placed>
constexpr void evaluate_in_turn() {
  using passes = pipeline<Placed>;
  need<typename passes::stabilised>();
  need<typename passes::rewritten>();
  need<typename passes::laid_out>();
  need<typename passes::viewed>();
  need<typename passes::grouped, typename passes::viewed>();
  need<typename passes::lowered, typename passes::viewed, typename passes::grouped>();
}
#endif

}  // namespace kroton::passes
