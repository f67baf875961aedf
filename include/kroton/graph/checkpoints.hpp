// This header records a loop of which not every iteration is kept for gradients: an outer loop over parts of `every`
// iterations keeps what each part begins with, and the iterations of a part run a second time when a gradient arrives.
//
//     scan over x (n, 8), carrying h, every = 40
//       ->  loop 0 over the n / 40 parts of x, (40, 8) each, carries h; in it, remat of loop 1 over the rows of a part;
//           loop 2 over the rows that are left, fewer than 40
#pragma once

#include <kroton/graph/rematerialised.hpp>

namespace kroton::graph {

/// The rows that a loop reads of a tensor: row `first` in the first iteration, and then the next or the last ones.
struct read_rows {
  term of;
  extent_code first = 0;
  bool goes_back = false;
};
/// What a loop begins with.
struct loop_begin {
  array_list<read_rows> sequences;
  array_list<term> carried;  ///< of each carried variable, its initial values (kept, ...)
  extent_code iterations = 0;
};
/// What a loop makes: the rows of its values, those of the carried variables first, and the last of these.
struct loop_made {
  array_list<term> rows, lasts;
};

/// Values of which each iteration makes a row, computed again for their gradients, as one, so that it is done once.
constexpr void rematerialise_rows(graph& g, array_list<term>& rows, int first) {
  array_list<bool> is_done(rows.size(), false);
  for (int i = 0; i < rows.size(); ++i) {
    const dtype type = rows[i].type();
    if (is_done[i] || !is_floating(type)) continue;
    array_list<int> alike;
    for (int j = i; j < rows.size(); ++j)
      if (rows[j].type() == type) alike.push_back(j), is_done[j] = true;
    if (alike.size() == 1) {
      rows[i] = rematerialised(rows[i], first, 0);
      continue;
    }
    array_list<term> flat;
    for (const int j : alike) {
      const shape s = rows[j].extents();  // a copy, because new nodes move the graph's shapes
      flat.push_back(reshape_term(rows[j], {2, {s[0], g.extents.elements(row_of(s))}}));
    }
    const term all = rematerialised(concatenate_term(flat.begin(), flat.size(), 1), first, 0);
    extent_code at = 0;
    for (int k = 0; k < alike.size(); ++k) {
      const extent_code count = flat[k].extents()[1];
      const shape s = rows[alike[k]].extents();
      rows[alike[k]] = reshape_term(slice_term(all, {1, 1, at}, count), s);
      at = g.extents.add(at, count);
    }
  }
}

/// Records a loop that keeps what every `every` iterations begin with. `record` records a plain loop.
class checkpoints {
 public:
  constexpr checkpoints(graph& g, const loop_begin& whole, int every)
      : g_(g), whole_(whole), every_(every), parts_(whole_parts(g, whole.iterations, every)),
        iterations_(g.extents.multiply(parts_, every)) {}

  constexpr loop_made run(auto record) {
    const extent_code left = g_.extents.subtract(whole_.iterations, iterations_);
    if (parts_ == 0) return record(whole_);
    const int loop = g_.new_loop(0, parts_);
    loop_begin part = {parts_of_sequences(loop), {}, every_};
    for (int i = 0; i < whole_.carried.size(); ++i) {
      const shape all = whole_.carried[i].extents();
      part.carried.push_back(loop_carried_term(reshape_term(whole_.carried[i], rows_of(1, all)), {loop, i, 1, 1}));
    }
    loop_made made;
    carried_variables variables(g_, loop, parts_);
    {
      const body_scope body(g_, loop);
      const int first = g_.size();
      made = record(part);
      rematerialise_rows(g_, made.rows, first);
      for (int i = 0; i < part.carried.size(); ++i)
        variables.add(part.carried[i], newest(part.carried[i], made.rows[i]));
    }
    for (term& rows : made.rows) {
      const shape s = row_of(rows.extents());
      rows = reshape_term(variables.rows(rows), rows_of(iterations_, s));
    }
    loop_begin rest = {{}, {}, left};
    for (int i = 0; i < part.carried.size(); ++i) rest.carried.push_back(variables.last(i));
    if (left == 0) {
      for (int i = 0; i < part.carried.size(); ++i) made.lasts[i] = last_row(rest.carried[i]);
      return made;
    }
    for (read_rows each : whole_.sequences) {
      each.first =
          each.goes_back ? g_.extents.subtract(each.first, iterations_) : g_.extents.add(each.first, iterations_);
      rest.sequences.push_back(each);
    }
    const loop_made end = record(rest);
    for (int i = 0; i < made.rows.size(); ++i) {
      const term both[] = {made.rows[i], end.rows[i]};
      made.rows[i] = concatenate_term(both, 2, 0);
    }
    made.lasts = end.lasts;
    return made;
  }

 private:
  graph& g_;
  const loop_begin& whole_;
  int every_;
  extent_code parts_, iterations_;  // the number of whole parts, and of iterations in these

  static constexpr extent_code whole_parts(graph& g, extent_code iterations, int every) {
    return g.extents.subtract(g.extents.ceil_divide(g.extents.add(iterations, 1), every), 1);
  }
  /// The sequences of a part: those of an iteration of the outer loop.
  constexpr array_list<read_rows> parts_of_sequences(int loop) {
    array_list<read_rows> found;
    extent_table& extents = g_.extents;
    for (const read_rows& each : whole_.sequences) {
      const extent_code last = extents.subtract(iterations_, 1);
      const extent_code first = each.goes_back ? extents.subtract(each.first, last) : each.first;
      const shape row = row_of(each.of.extents());
      const shape divided = rows_of(parts_, rows_of(every_, row));
      const term parts = reshape_term(slice_term(each.of, {0, 1, first}, iterations_), divided);
      const extent_code begin = each.goes_back ? extents.subtract(parts_, 1) : 0;
      found.push_back(
          {loop_row_term(parts, {loop, each.goes_back, begin}), each.goes_back ? every_ - 1 : 0, each.goes_back});
    }
    return found;
  }
  /// The newest values of a carried variable after a part, as many as it began with.
  constexpr term newest(term before, term rows) {
    const extent_code kept = before.extents()[0];
    if (kept <= every_) return slice_term(rows, {0, 1, g_.extents.subtract(every_, kept)}, kept);
    const term both[] = {before, rows};
    return slice_term(concatenate_term(both, 2, 0), {0, 1, every_}, kept);
  }
  constexpr term last_row(term window) {
    const extent_code kept = window.extents()[0];
    const shape row = row_of(window.extents());
    return reshape_term(slice_term(window, {0, 1, g_.extents.subtract(kept, 1)}, 1), row);
  }
};

}  // namespace kroton::graph
