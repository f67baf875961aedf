// This pass lets a result take over the memory of an operand that dies in the same step, if the step reads every
// element just where it writes it.
//
//     step 1: t1 = exp(t0), t0 not read again  ->  t1 lies in t0
//     step 2: new W = W - rate * g             ->  the new value lies in W, and nothing is copied afterwards
//     step 3: t3 = t2, of which step 4 changes a part  ->  t3 lies in t2, and step 3 is done
#pragma once

#include <kroton/graph/routine.hpp>
#include <kroton/passes/buffer_lives.hpp>

namespace kroton::passes {

/// Lets a result lie where an operand of the same step lies that nothing needs any more, if every element is read just
/// where it is written: temporaries in temporaries and in outputs, new values of shared variables in the old ones.
class memory_reuse : buffer_lives {
 public:
  template <program_size Size>
  constexpr explicit memory_reuse(program<Size>& p) : buffer_lives(p) {
    for (int s = 0; s < Size.steps; ++s) {
      const step& k = steps_[s];
      if (is_fused(k.kind)) {
        for (int segment = 0; segment < k.segments; ++segment)
          for (int i = k.first_instruction, past = i + k.instructions; i < past; ++i)
            if (instructions_.items[i].kind == instruction_kind::store)
              reuse_for_store(s, segment, instructions_.items[i]);
      } else if (k.kind == step_kind::routine) {
        reuse_for_routine(s);
      } else if (k.kind != step_kind::take) {
        const int old = old_value(s, result_access(k));
        if (old >= 0 && (own_last_[old] < s || accumulates(k, old))) update_in_place(at(k, result_access(k)).buffer);
        else if (k.kind != step_kind::transfer) reuse_for_sum(s);
      }
    }
    for (step& s : steps_)
      if (s.begins) s.is_done = memory_of(buffers_, at(s, 0).buffer) == memory_of(buffers_, at(s, 1).buffer);
      else if (s.kind == step_kind::map) s.is_done = copies_onto_itself(s);
  }

 private:
  /// Whether a map copies each element to where it lies. The map that gives a product with a vector the shape of an
  /// output does, where the product lies in the output.
  constexpr bool copies_onto_itself(const step& s) const {
    for (int i = s.first_instruction, past = i + s.instructions; i < past; ++i) {
      const instruction& x = instructions_.items[i];
      if (x.kind != instruction_kind::load && x.kind != instruction_kind::store && x.op->id != id_of<ops::copy>)
        return false;
    }
    const access& first = at(s, 0);
    for (int a = 1; a < s.accesses; ++a) {
      const access& other = at(s, a);
      if (memory_of(buffers_, other.buffer) != memory_of(buffers_, first.buffer) || other.offset != first.offset ||
          other.move != first.move)
        return false;
      for (int axis = 0; axis < s.space.rank; ++axis)
        if (other.stride[axis] != first.stride[axis]) return false;
    }
    return true;
  }
  constexpr void reuse_for_store(int s, int segment, const instruction& store) {
    const step& k = steps_[s];
    const int mine = access_in(k, segment, store), to = at(k, mine).buffer, old = old_value(s, mine);
    if (old >= 0 && (own_last_[old] < s || overwrites(k, segment, store, old))) return update_in_place(to);
    if (!begins(to, s)) return;
    int best = -1;  // that of the latest product first, which can then write what this step would, see epilogue.hpp
    for (int i = k.first_instruction, past = i + k.instructions; i < past; ++i) {
      const instruction& load = instructions_.items[i];
      if (load.kind != instruction_kind::load) continue;
      const int from = at(k, access_in(k, segment, load)).buffer;
      if (!ends(from, s)) continue;
      if (best >= 0 && written_by_product(from) <= written_by_product(best)) continue;
      if (alike(from, to) && overwrites(k, segment, store, from)) best = from;
    }
    if (best >= 0) take_over(root_of(best), to);
  }
  /// The product that has written buffer `i`, -1: none has.
  constexpr int written_by_product(int i) const {
    return last_writer_[i] >= 0 && steps_[last_writer_[i]].kind == step_kind::dot ? last_writer_[i] : -1;
  }
  constexpr void reuse_for_routine(int s) {
    const step& k = steps_[s];
    const int to = at(k, 0).buffer, old = old_value(s, 0);
    if (old >= 0 && (own_last_[old] < s || works_in_place(k, old))) return update_in_place(to);
    if (!begins(to, s)) return;
    for (int i = 1; i <= operands_of_routine(k); ++i) {
      const int from = at(k, i).buffer;
      if (ends(from, s) && alike(from, to) && works_in_place(k, from)) return take_over(root_of(from), to);
    }
  }
  /// Instructions of a routine are the operation, a store and a load of each operand.
  static constexpr int operands_of_routine(const step& k) { return k.instructions - 2; }
  /// Whether a routine reads buffer `from` as one operand, in whose memory its result may lie.
  constexpr bool works_in_place(const step& k, int from) const {
    int count = 0;
    bool may = true;
    for (int i = 1; i <= operands_of_routine(k); ++i) {
      if (at(k, i).buffer != from) continue;
      ++count;
      may = instructions_[k.first_instruction].op->routine->in_place(i - 1);
    }
    return may && count <= 1;
  }
  constexpr void reuse_for_sum(int s) {
    const step& k = steps_[s];
    const int to = at(k, result_access(k)).buffer, from = k.product.added < 0 ? -1 : at(k, k.product.added + 1).buffer;
    if (from >= 0 && begins(to, s) && ends(from, s) && alike(from, to) && accumulates(k, from))
      take_over(root_of(from), to);
  }
  /// Whether step `s` writes all of buffer `i`, which has its own memory still, and either no other step does, or those
  /// that come next write to a part of it.
  constexpr bool begins(int i, int s) const {
    return (writers_[i] == 1 || steps_[s].begins) && buffers_[i].first == s && buffers_[i].lies_in < 0 &&
           buffers_[i].body == body_of_step_[s];
  }
  /// Whether nothing needs buffer `i`, a temporary, after step `s`, nor what lies with it.
  constexpr bool ends(int i, int s) const {
    if (own_last_.items[i] != s || buffers_[i].body != body_of_step_[s]) return false;
    const buffer& root = buffers_[root_of(i)];
    return root.kind == buffer_kind::temporary && root.last == s;
  }
  constexpr int root_of(int i) const { return buffers_[i].lies_in < 0 ? i : buffers_[i].lies_in; }
  constexpr bool alike(int x, int y) const {
    return buffers_[x].type == buffers_[y].type && buffers_[x].elements == buffers_[y].elements;
  }
  constexpr void take_over(int root, int to) {
    buffer& b = buffers_[to];
    if (b.kind == buffer_kind::temporary) {
      b.lies_in = root;
      if (buffers_[root].last < b.last) buffers_[root].last = b.last;
    } else if (b.kind == buffer_kind::output) {
      for (buffer& other : buffers_)
        if (other.lies_in == root) other.lies_in = to;
      buffers_[root].lies_in = to;
    }
  }
  /// The buffer of the shared variable whose new value step `s` writes through access `a`, if no later step needs the
  /// old one and the call cannot fail any more; else -1.
  constexpr int old_value(int s, int a) const {
    const int from = at(steps_[s], a).buffer;
    if (s <= last_check_ || write_of_[from] < 0 || !begins(from, s)) return -1;
    const int old = writes_[write_of_[from]].to;
    return own_last_[old] > s ? -1 : old;
  }
  /// Lets the new value in buffer `from` lie where the old one lies.
  constexpr void update_in_place(int from) {
    write_back& w = writes_[write_of_[from]];
    buffers_[from].kind = buffer_kind::shared;
    buffers_[from].index = buffers_[w.to].index;
    w.from = -1;
  }
  /// Whether a product or a scatter uses buffer `old` only to add to it.
  constexpr bool accumulates(const step& k, int old) const {
    for (int a = 0; a < k.accesses; ++a)
      if (at(k, a).buffer == old && (k.product.added < 0 || a != k.product.added + 1)) return false;
    return true;
  }
  /// Whether the step reads buffer `from` only at the element that `store` writes, and before it writes that, and only
  /// in the segment of the store.
  constexpr bool overwrites(const step& k, int segment, const instruction& store, int from) const {
    const access& to = at(k, access_in(k, segment, store));
    if (k.segments > 1 && (is_in_several_[from] || segment_[from] != segment)) return false;
    for (int i = k.first_instruction, past = i + k.instructions; i < past; ++i) {
      const instruction& load = instructions_.items[i];
      if (load.kind != instruction_kind::load) continue;
      const access& read = at(k, access_in(k, segment, load));
      if (read.buffer != from) continue;
      if (load.reduced != store.reduced || read.offset != to.offset) return false;
      for (int axis = 0; axis < k.space.rank; ++axis)
        if (read.stride[axis] != to.stride[axis]) return false;
    }
    return store.reduced || in_last_loop(k, store);
  }
  /// Whether no loop over elements follows the one that writes `store`: a row kernel reads its operands in each.
  constexpr bool in_last_loop(const step& k, const instruction& store) const {
    array_list<int> phase(k.instructions, 0);
    int last = 0, mine = 0;
    for (int i = 0; i < k.instructions; ++i) {
      const instruction& x = instructions_[k.first_instruction + i];
      for (int operand : x.operand)
        if (operand >= 0 && phase[operand] > phase[i]) phase[i] = phase[operand];
      const int loop = phase[i];
      if (x.kind == instruction_kind::reduce) ++phase[i];
      if ((x.kind == instruction_kind::reduce || (x.kind == instruction_kind::store && !x.reduced)) && loop > last)
        last = loop;
      if (&x == &store) mine = loop;
    }
    return mine == last;
  }
};

}  // namespace kroton::passes
