// This header finds the first and the last step that uses each buffer.
//
//     step 0 writes t0, step 1 reads it and writes t1, which is checked after that step  ->  t0 lives in steps 0 to 1,
//     t1 in 1 to 2
#pragma once

#include <kroton/passes/program.hpp>

namespace kroton::passes {

/// When the buffers of a program live, and what writes them.
class buffer_lives {
 protected:
  template <program_size Size>
  constexpr explicit buffer_lives(program<Size>& p)
      : buffers_(p.buffers, Size.buffers), steps_(p.steps, Size.steps), accesses_(p.accesses, Size.accesses),
        instructions_(p.instructions, Size.instructions), checks_(p.checks, Size.checks),
        writes_(p.writes, Size.writes), moves_(p.moves, Size.moves), loops_(p.loops, Size.loops),
        own_last_(Size.buffers, -1), writers_(Size.buffers, 0), last_writer_(Size.buffers, -1),
        write_of_(Size.buffers, -1), segment_(Size.buffers, -1), is_in_several_(Size.buffers, false),
        body_of_step_(Size.steps, -1) {
    find_lives();
  }

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
  list<step> steps_;
  list<access> accesses_;
  list<const instruction> instructions_;
  list<index_range_check> checks_;
  list<write_back> writes_;
  list<const access_move> moves_;
  list<const loop_of_steps> loops_;
  array_list<int> own_last_;  // last step of each buffer; `buffer::last` is that of all that share its memory
  array_list<int> writers_, last_writer_;
  array_list<int> write_of_;        // the write-back from each buffer, -1: none
  array_list<int> segment_;         // of each buffer: the segment of a joined step that was last seen to use it
  array_list<bool> is_in_several_;  // whether several segments of a joined step use each buffer
  array_list<int> body_of_step_;    // the loop that repeats each step, -1: none
  int last_check_ = -1;             // the last step that may throw, or after which indices are looked at

  /// The access of a load or store in a segment of its step.
  static constexpr int access_in(const step& k, int segment, const instruction& i) {
    return segment * accesses_of_segment(k) + i.access();
  }
  constexpr const access& at(const step& k, int a) const { return accesses_.items[k.first_access + a]; }

 private:
  constexpr void find_lives() {
    for (int s = 0; s < steps_.count; ++s) {
      const step& k = steps_.items[s];
      for (int a = k.first_access, past = a + k.accesses; a < past; ++a) {
        const int i = accesses_.items[a].buffer;
        if (i < 0) continue;
        if (k.segments > 1) note_segment(i, s, (a - k.first_access) / accesses_of_segment(k));
        note_use(i, s);
        note_initial(accesses_.items[a].move, s);
      }
      for_each_result(instructions_.items, k, [&](int access) { note_writer(k, access, s); });
    }
    for (int s = 0; s < steps_.count; ++s)
      if (steps_[s].can_fail) last_check_ = s;
    for (index_range_check& check : checks_) {
      const int i = check.where.buffer;
      check.after = last_writer_[i];
      if (check.after > last_check_) last_check_ = check.after;
      if (check.after >= 0 && buffers_[i].last == check.after) buffers_[i].last = own_last_[i] = check.after + 1;
    }
    for (const loop_of_steps& loop : loops_)
      for (int s = loop.first; s < loop.past; ++s) body_of_step_[s] = loop.loop;  // inner loops follow outer ones
    for (const loop_of_steps& loop : loops_)
      if (const int i = loop.guard.buffer; i >= 0 && own_last_[i] < loop.first)
        buffers_[i].last = own_last_[i] = loop.first;
    for (int l = loops_.count; l-- > 0;) stay_in(loops_[l]);
    for (int i = 0; i < writes_.count; ++i) {
      const int from = writes_[i].from;
      write_of_[from] = i;
      buffers_[from].last = own_last_[from] = steps_.count;
    }
  }

  constexpr void note_use(int i, int s) {
    if (own_last_.items[i] == s) return;
    if (own_last_.items[i] < 0) buffers_.items[i].first = s;
    buffers_.items[i].last = own_last_.items[i] = s;
  }
  /// A step needs what loops begin with, if its access moves so.
  constexpr void note_initial(int move, int s) {
    for (; move >= 0; move = moves_[move].outer) {
      const access& initial = moves_[move].initial;
      if (initial.buffer < 0) continue;
      note_use(initial.buffer, s);
      note_initial(initial.move, s);
    }
  }
  /// Whatever the iterations of a loop do not write anew is needed in all of its steps.
  constexpr void stay_in(const loop_of_steps& loop) {
    for (int i = 0; i < buffers_.count; ++i) {
      buffer& b = buffers_[i];
      if (own_last_[i] < loop.first || b.first >= loop.past || is_within(b.body, loop)) continue;
      if (b.first > loop.first) b.first = loop.first;
      if (b.last < loop.past - 1) b.last = own_last_[i] = loop.past - 1;
    }
  }

  constexpr bool is_within(int body, const loop_of_steps& loop) const {
    for (const loop_of_steps& inner : loops_)
      if (inner.loop == body) return loop.first <= inner.first && inner.past <= loop.past;
    return false;
  }

  constexpr void note_segment(int buffer, int s, int segment) {
    if (own_last_.items[buffer] == s && segment_.items[buffer] != segment) is_in_several_.items[buffer] = true;
    segment_.items[buffer] = segment;
  }
  constexpr void note_writer(const step& k, int a, int s) {
    access& result = accesses_[k.first_access + a];
    result.written = true;
    ++writers_[result.buffer];
    last_writer_[result.buffer] = s;
  }
};

}  // namespace kroton::passes
