// This header has what a graph knows of the gradients of a cost: those that were found, and the loops that find others.
//
//     cost %9, %3 = gradient of it with respect to %1  ->  adjoints {%1: %3}, needed {%1, and what reads it}
#pragma once

#include <kroton/graph/array.hpp>
#include <kroton/graph/shape.hpp>

namespace kroton::graph {

/// A gradient of the cost, with respect to a node, see graph/reach.hpp.
struct adjoint {
  int value = -1;    ///< node
  int reach = -1;    ///< node of bool: the gradient is zero where it does not hold; -1: not known to be zero anywhere
  int pending = -1;  ///< node of bool: what still has to select the value; -1: nothing
};

/// A carried variable of a loop, and the nodes that are its value before an iteration and after it.
struct carried_pair {
  int loop, number, carried, next;
};

/// The loop that goes back through the iterations of another, and finds gradients.
struct loop_reversal {
  int loop = 0, reverse = 0;
  extent_code iterations = 0;  ///< of the first loop
  extent_code steps = 0;       ///< of the reverse loop, which may go back through the last iterations alone
  int outer = -1;              ///< that of the loop around, while this one is open
  int outer_loop = -1;         ///< graph::open_loop before it was opened
  bool is_entered = false;     ///< whether the results have been left behind
  /// What a carried variable has of the gradient: what arrived at the value of it that was `back` iterations old.
  struct variable {
    int number, back;  ///< of the variable
    int carried;       ///< node, in the reverse loop
    int next;          ///< node: what arrives in an iteration, -1: nothing
  };
  array_list<variable> variables;
  struct final_gradient {
    int number, back, value;
  };
  array_list<final_gradient> finals;  ///< what arrives at the values after the last iteration
  struct contribution {
    int to, value;  ///< nodes
    int row;        ///< the loop_row of `to` that it is for, -1: all iterations have the same
  };
  array_list<contribution> contributions;  ///< to what is outside
};

/// An order of nodes; empty lists: that of their numbers.
struct node_positions {
  array_list<int> position, node;  ///< of each node, and at each position
  constexpr int of(int id) const { return position.empty() ? id : position.items[id]; }
  constexpr int at(int i) const { return node.empty() ? i : node.items[i]; }
};

/// The gradients of a cost that were found so far, with respect to nodes without operands, so that each is found once.
struct cost_adjoints {
  int cost = -1;
  int stable = -1;              ///< the cost in its stable form
  array_list<int> adjoints;     ///< of each node up to `stable`: the node that is its gradient, `none`, or see `at`
  array_list<adjoint> masked;   ///< the gradients that have masks
  array_list<bool> needed;      ///< what depends on a variable that was asked for
  array_list<bool> fresh;       ///< of those, what depends on one that is asked for now
  array_list<int> last_reader;  ///< of each node: the last of its links, -1: none
  struct link {
    int reader, before;  ///< a node that the cost depends on and that reads this one, and the link before this one
  };
  array_list<link> links;
  node_positions order;  ///< in which the bodies of loops are together
  array_list<loop_reversal> reversals;
  int open = -1;                     ///< the innermost reversal that is being recorded, -1: none
  array_list<carried_pair> carried;  ///< the carried variables of all loops that the cost depends on

  bool has_other_gradients = false;  ///< whether somebody wrote some of them, as kt::custom_gradient lets one

  /// Whether these are the gradients of the cost: no loop goes back through some of its iterations alone, and nobody
  /// wrote others.
  constexpr bool are_exact() const {
    for (const loop_reversal& r : reversals)
      if (r.steps != r.iterations) return false;
    return !has_other_gradients;
  }

  static constexpr int none = -1;
  /// The gradient with respect to node `x`, which is there.
  constexpr adjoint at(int x) const {
    const int i = adjoints.items[x];
    return i >= 0 ? adjoint{i, -1, -1} : masked[none - 1 - i];
  }
  constexpr void set(int x, const adjoint& a) {
    int& i = adjoints.items[x];
    if (a.reach < 0 && a.pending < 0) i = a.value;
    else if (i < none) masked[none - 1 - i] = a;
    else {
      i = none - 1 - masked.size();
      masked.push_back(a);
    }
  }
};

}  // namespace kroton::graph
