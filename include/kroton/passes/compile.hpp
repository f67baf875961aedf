// The passes in order, each its own constant evaluation over the fixed-size result of the one before.
#pragma once

#include <kroton/passes/lower.hpp>

namespace kroton {

template <class Source>
struct rewritten {
  static constexpr graph_size size = [] {
    graph g;
    rewrite(Source::value, g);
    return size_of(g);
  }();
  static constexpr frozen_graph<size> value = [] {
    graph g;
    rewrite(Source::value, g);
    return freeze<size>(g);
  }();
};

template <class Source>
struct laid_out {
  static constexpr graph_size size = [] {
    graph g;
    lay_out(Source::value, g);
    return size_of(g);
  }();
  static constexpr frozen_graph<size> value = [] {
    graph g;
    lay_out(Source::value, g);
    return freeze<size>(g);
  }();
};

template <class Source>
struct lowered {
  static constexpr program_size size = [] {
    graph g;
    thaw(Source::value, g);
    return size_of(lowering(g).run());
  }();
  static constexpr program<size> value = [] {
    graph g;
    thaw(Source::value, g);
    return freeze<size>(lowering(g).run());
  }();
};

/// The program of a captured graph.
template <class Captured>
using compiled = lowered<laid_out<rewritten<Captured>>>;

}  // namespace kroton
