// This pass decides where operations run, and inserts the transfers that bring their operands there.
//
//     %0 in dev0, %1 in the session's context, %2 = mul(%0, %1)
//       ->  %2 = transfer(%1, dev0), %3 = mul(%0, %2), which runs in dev0
#pragma once

#include <kroton/arithmetic/indexed.hpp>
#include <kroton/graph/frozen.hpp>
#include <kroton/graph/ops/transfer.hpp>
#include <kroton/passes/live.hpp>

namespace kroton::passes {

/// Whether a node shows all elements of its operand.
constexpr bool is_whole_view(const node& n) {
  return n.op->kind == op_kind::reshape || n.op->kind == op_kind::transpose || n.op->kind == op_kind::broadcast;
}

/// Writes a captured graph anew with the transfers that it needs: to where an operation runs, to where a shared
/// variable lies, and of results from named contexts to the host. Transfers that cancel each other are cut. What is
/// looked at in several ways is moved once, as it is. Random numbers are not moved: each place draws them.
class transfer_insertion {
 public:
  template <graph_size Size>
  constexpr transfer_insertion(const frozen_graph<Size>& f, graph& g)
      : g_(g), nodes_(f.nodes), operands_(f.operands), renamed_(Size.nodes, -1), origin_(Size.nodes, -1),
        is_drawn_(Size.nodes, false) {
    thaw_frame(f, g);
    const array_list<bool> live = live_nodes(f);
    for (int id = 0; id < Size.nodes; ++id) {
      const node& n = f.nodes[id];
      const bool moves = n.op->kind == op_kind::transfer;
      is_drawn_[id] = n.op->draws || is_made_of_draws(f, n);
      origin_[id] = moves || is_whole_view(n) ? origin_[f.operands[n.first]] : id;
      if (live[id] && moves && transfer_form::of(n.attr).is_written) written_.push_back({origin_[id], n.place});
    }
    array_list<int> args;
    for (int id = 0; id < Size.nodes; ++id) {
      if (!live[id]) continue;
      const node& n = f.nodes[id];
      const int* operands = f.operands + n.first;
      if (n.op->kind == op_kind::transfer) {
        renamed_[id] = moved(operands[0], n.place);
        continue;
      }
      args.clear();
      for (int i = 0; i < n.count; ++i) args.push_back(renamed_[operands[i]]);
      const place_id place = g.place_of(n.op, n.attr, args.begin(), n.count);
      for (int i = 0; i < n.count; ++i) args[i] = moved(operands[i], place);
      renamed_[id] = g.add(n.op, n.type, n.shape, n.attr, args.begin(), n.count);
    }
    for (int i = 0; i < Size.outputs; ++i) {
      const int id = f.outputs[i];
      const place_id stays = g.place_of_output(i);
      const bool is_named = g.nodes[renamed_[id]].place >= first_named_place;
      g.outputs.push_back(stays != anywhere ? moved(id, stays) : is_named ? moved(id, at_host) : renamed_[id]);
    }
    for (int i = 0; i < Size.updates; ++i) {
      const update_entry& u = f.updates[i];
      g.updates.push_back(update_entry{u.target, moved(u.source, g.shared[u.target].place)});
    }
  }

 private:
  struct written_transfer {
    int origin;
    place_id to;
  };
  graph& g_;
  const node* nodes_;  // of the old graph
  const int* operands_;
  array_list<int> renamed_;
  array_list<int> origin_;     // of each old node: what it is a transfer or a view of
  array_list<bool> is_drawn_;  // of each old node: whether it is made of random numbers and scalars alone
  array_list<written_transfer> written_;

  template <class Graph>
  constexpr bool is_made_of_draws(const Graph& f, const node& n) const {
    bool draws = false;
    for (int i = n.first; i < n.first + n.count; ++i) {
      const int x = f.operands[i];
      if (!is_drawn_[x] && f.shapes[f.nodes[x].shape].rank > 0) return false;
      draws = draws || is_drawn_[x];
    }
    return draws && n.op->kind == op_kind::map;
  }
  /// Old node `id` at place `to`.
  constexpr int moved(int id, place_id to) const {
    const term here{&g_, renamed_[id]};
    if (to == anywhere || here.get().place == anywhere || here.get().place == to) return here.id;
    const node& n = nodes_[id];
    if (is_whole_view(n)) {
      const int x = moved(operands_[n.first], to);
      return g_.add(n.op, n.type, n.shape, n.attr, &x, 1);
    }
    if (is_drawn_[id]) return drawn(n, to);
    bool is_explicit = false;
    for (const written_transfer& w : written_) is_explicit = is_explicit || (w.origin == origin_[id] && w.to == to);
    return transfer_term(here, to, is_explicit).id;
  }
  /// A node that is made of random numbers, at place `to`. Only scalars are moved, which no user would write.
  constexpr int drawn(const node& n, place_id to) const {
    array_list<int> args;
    for (int i = n.first; i < n.first + n.count; ++i) {
      const term x{&g_, renamed_[operands_[i]]};
      const bool moves = x.get().place != to && x.get().place != anywhere;
      args.push_back(!moves                    ? x.id
                     : is_drawn_[operands_[i]] ? drawn(nodes_[operands_[i]], to)
                                               : transfer_term(x, to, true).id);
    }
    return g_.add(n.op, n.type, n.shape, n.attr, args.begin(), n.count);
  }
};

/// Whether everything is in the context of the session, and nothing need be placed.
template <graph_size Size>
constexpr bool is_all_at_home(const frozen_graph<Size>& f) {
  for (int i = 0; i < Size.nodes; ++i)
    if (f.nodes[i].place > at_home || f.nodes[i].op->kind == op_kind::transfer) return false;
  for (int i = 0; i < Size.output_places; ++i)
    if (f.output_places[i] > at_home) return false;
  for (int i = 0; i < Size.shared; ++i)
    if (f.shared[i].place > at_home) return false;
  return true;
}

/// Gives a place to what is known anywhere and yet computed, such as functions of indices: where it is used, once for
/// each such place.
class settlement {
 public:
  constexpr settlement(const graph& from, graph& to)
      : from_(from), to_(to), renamed_(from.size() * (first_named_place + from.places.size()), -1) {
    for (int id = 0; id < from.size(); ++id)
      if (from.nodes[id].place != anywhere) at(id, from.nodes[id].place);
    for (int i = 0; i < from.outputs.size(); ++i) {
      const place_id place = from.place_of_output(i);
      to.outputs.push_back(at(from.outputs[i], place == anywhere ? at_home : place));
    }
    for (const update_entry& u : from.updates)
      to.updates.push_back(update_entry{u.target, at(u.source, from.shared[u.target].place)});
  }

 private:
  const graph& from_;
  graph& to_;
  array_list<int> renamed_;  // by place and old node

  /// The new node of old node `id` for a reader at `place`, or for a node that has a place, there.
  constexpr int at(int id, place_id place) {
    const node n = from_.nodes[id];
    const bool is_source = n.count == 0 && n.place == anywhere;
    if (n.place != anywhere) place = n.place;
    int& known = renamed_[place * from_.size() + id];
    if (known >= 0) return known;
    array_list<int> args;
    for (int i = 0; i < n.count; ++i) {
      const int x = from_.operand(id, i);
      args.push_back(at(x, n.op->kind == op_kind::transfer ? from_.nodes[x].place : place));
    }
    return renamed_[place * from_.size() + id] =
               to_.add(n.op, n.type, n.shape, n.attr, args.begin(), n.count, is_source ? anywhere : place);
  }
};

/// The named contexts of the graph `Source::value`, apart from its nodes: a program that had these at hand when it runs
/// would contain the derivatives of all its operations.
template <class Source>
inline constexpr auto named_places = [] {
  indexed_array<const place_name*, Source::size.places + 1> names{};
  for (int i = 0; i < Source::size.places; ++i) names[i] = Source::value.places[i];
  return names;
}();

}  // namespace kroton::passes
