// This pass finds the first and the last step of each buffer. Then it lets a result take over the memory of an operand
// that dies in the same step, if the step reads every element just where it writes it.
//
//     step 1: t1 = exp(t0), t0 not read again  ->  t1 lies in t0
//     step 2: new W = W - rate * g             ->  the new value lies in W, and nothing is copied afterwards
#pragma once

#include <kroton/passes/program.hpp>

namespace kroton {

/// Finds when buffers live. Then lets a result lie where an operand of the same step lies that nothing needs any more,
/// if every element is read just where it is written: temporaries in temporaries and in outputs, new values of shared
/// variables in the old ones.
class memory_reuse {
 public:
  template <program_size Size>
  constexpr explicit memory_reuse(program<Size>& p)
      : buffers_(p.buffers, Size.buffers), steps_(p.steps, Size.steps), accesses_(p.accesses, Size.accesses),
        instructions_(p.instructions, Size.instructions), checks_(p.checks, Size.checks),
        writes_(p.writes, Size.writes), own_last_(Size.buffers, -1), writers_(Size.buffers, 0),
        last_writer_(Size.buffers, -1), write_of_(Size.buffers, -1) {
    find_lives();
    for (int s = 0; s < Size.steps; ++s) {
      const step& k = steps_[s];
      if (is_fused(k.kind)) {
        for (int i = k.first_instruction, past = i + k.instructions; i < past; ++i)
          if (instructions_.items[i].kind == instruction_kind::store) reuse_for_store(s, instructions_.items[i]);
      } else if (!has_kernel(k)) {
        if (!update_in_place(s, result_access(k), nullptr) && k.kind == step_kind::dot) reuse_for_product(s);
      }
    }
  }

 private:
  /// A part of the program, indexed by int.
  template <class T>
  struct list {
    T* items;
    int count;
    constexpr list(T* first, int size) : items(first), count(size) {}
    constexpr T& operator[](int i) const { return items[i]; }
    constexpr T* begin() const { return items; }
    constexpr T* end() const { return items + count; }
  };
  list<buffer> buffers_;
  list<const step> steps_;
  list<access> accesses_;
  list<const instruction> instructions_;
  list<index_range_check> checks_;
  list<write_back> writes_;
  array_list<int> own_last_;  // last step of each buffer; `buffer::last` is that of all that share its memory
  array_list<int> writers_, last_writer_;
  array_list<int> write_of_;  // the write-back from each buffer, -1: none
  int last_check_ = -1;       ///< the last step after which indices are looked at

  constexpr const access& at(const step& k, int a) const { return accesses_.items[k.first_access + a]; }

  constexpr void find_lives() {
    for (int s = 0; s < steps_.count; ++s) {
      const step& k = steps_.items[s];
      for (int a = k.first_access, past = a + k.accesses; a < past; ++a) {
        const int i = accesses_.items[a].buffer;
        if (i < 0 || own_last_.items[i] == s) continue;
        if (own_last_.items[i] < 0) buffers_.items[i].first = s;
        buffers_.items[i].last = own_last_.items[i] = s;
      }
      if (is_fused(k.kind)) {
        for (int i = k.first_instruction, past = i + k.instructions; i < past; ++i)
          if (instructions_.items[i].kind == instruction_kind::store)
            note_writer(k, instructions_.items[i].access(), s);
      } else {
        note_writer(k, result_access(k), s);
      }
    }
    for (index_range_check& check : checks_) {
      check.after = last_writer_[check.where.buffer];
      if (check.after > last_check_) last_check_ = check.after;
    }
    for (int i = 0; i < writes_.count; ++i) {
      const int from = writes_[i].from;
      write_of_[from] = i;
      buffers_[from].last = own_last_[from] = steps_.count;
    }
  }

  constexpr void note_writer(const step& k, int a, int s) {
    access& result = accesses_[k.first_access + a];
    result.written = true;
    ++writers_[result.buffer];
    last_writer_[result.buffer] = s;
  }

  constexpr void reuse_for_store(int s, const instruction& store) {
    const step& k = steps_[s];
    if (update_in_place(s, store.access(), &store)) return;
    const int to = at(k, store.access()).buffer;
    if (!begins(to, s)) return;
    int best = -1;  // that of the latest product first, which can then write what this step would, see epilogue.hpp
    for (int i = k.first_instruction, past = i + k.instructions; i < past; ++i) {
      const instruction& load = instructions_.items[i];
      if (load.kind != instruction_kind::load) continue;
      const int from = accesses_.items[k.first_access + load.access()].buffer;
      if (!ends(from, s)) continue;
      if (best >= 0 && written_by_product(from) <= written_by_product(best)) continue;
      if (alike(from, to) && overwrites(k, store, from)) best = from;
    }
    if (best >= 0) take_over(root_of(best), to);
  }
  /// The product that has written buffer `i`, -1: none has.
  constexpr int written_by_product(int i) const {
    return last_writer_[i] >= 0 && steps_[last_writer_[i]].kind == step_kind::dot ? last_writer_[i] : -1;
  }
  constexpr void reuse_for_product(int s) {
    const step& k = steps_[s];
    const int to = at(k, result_access(k)).buffer, from = k.product.added < 0 ? -1 : at(k, k.product.added + 1).buffer;
    if (from >= 0 && begins(to, s) && ends(from, s) && alike(from, to) && accumulates(k, from))
      take_over(root_of(from), to);
  }
  /// Whether step `s` alone writes buffer `i`, which has its own memory still.
  constexpr bool begins(int i, int s) const {
    return writers_[i] == 1 && buffers_[i].first == s && buffers_[i].lies_in < 0;
  }
  /// Whether nothing needs buffer `i`, a temporary, after step `s`, nor what lies with it.
  constexpr bool ends(int i, int s) const {
    if (own_last_.items[i] != s) return false;
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
  /// Lets the new value that step `s` writes through access `a` lie where the old one lies, unless the call can still
  /// fail.
  constexpr bool update_in_place(int s, int a, const instruction* store) {
    const step& k = steps_[s];
    const int from = at(k, a).buffer;
    if (s <= last_check_ || write_of_[from] < 0 || !begins(from, s)) return false;
    write_back& w = writes_[write_of_[from]];
    if (own_last_[w.to] > s) return false;
    if (own_last_[w.to] == s && !(store == nullptr ? accumulates(k, w.to) : overwrites(k, *store, w.to))) return false;
    buffers_[from].kind = buffer_kind::shared;
    buffers_[from].index = buffers_[w.to].index;
    w.from = -1;
    return true;
  }
  /// Whether a matrix product uses buffer `old` only to add to it.
  constexpr bool accumulates(const step& k, int old) const {
    for (int a = 0; a < k.accesses; ++a)
      if (at(k, a).buffer == old && (k.product.added < 0 || a != k.product.added + 1)) return false;
    return true;
  }
  /// Whether the step reads buffer `from` only at the element that `store` writes, and before it writes that.
  constexpr bool overwrites(const step& k, const instruction& store, int from) const {
    const access& to = at(k, store.access());
    for (int i = k.first_instruction, past = i + k.instructions; i < past; ++i) {
      const instruction& load = instructions_.items[i];
      if (load.kind != instruction_kind::load) continue;
      const access& read = accesses_.items[k.first_access + load.access()];
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

}  // namespace kroton
