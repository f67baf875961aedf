// This header has the base of the executors of the host and of devices: it binds a program to extents and memory, and
// runs steps on the host.
//
//     bind({batch = 32})  ->  each step has loops and strides in bytes, each buffer an offset in the arena of its place
//     run_step(0)         ->  calls the kernel of step 0 with the addresses of its operands
#pragma once

#include <kroton/arithmetic/indexed.hpp>
#include <kroton/runtime/program/binding.hpp>
#include <kroton/runtime/program/executor.hpp>
#include <kroton/runtime/program/program_memory.hpp>
#include <kroton/runtime/program/step_runners.hpp>

#include <cstring>

namespace kroton::runtime {

class program_executor : public executor {
 public:
  memory_sizes sizes_for(const std::int64_t* symbols) const override { return memory_.sizes_for(symbols); }
  void release() override {
    bound_ = false;
    memory_.release();
  }
  void leave_outputs_out() override { memory_.leave_outputs_out(); }
  bool fits(const std::int64_t* symbols) const override { return memory_.fits(symbols); }
  std::int64_t largest_extent(int dimension, const std::int64_t* symbols, std::int64_t most) const override {
    return memory_.largest_extent(dimension, symbols, most);
  }
  bool cannot_fail() const override {
    for (const index_range_check& check : plan_.checks)
      if (check.after >= 0) return false;
    for (const step& s : plan_.steps)
      if (s.can_fail) return false;
    return true;
  }

 protected:
  /// `places`: the context of each place.
  [[gnu::cold]] program_executor(const plan_view& plan, const step_runners& runners, std::vector<context> places)
      : plan_(plan), runners_(runners), places_(std::move(places)), memory_(plan, places_),
        symbols_(plan.symbols.size(), -1), steps_(plan.steps.size()), moves_(plan.moves.size()),
        iterations_(plan.loops.size()) {}

  plan_view plan_;
  step_runners runners_;
  indexed_vector<context> places_;
  program_memory memory_;
  bool bound_ = false;
  std::vector<std::int64_t> symbols_;
  std::vector<bound_step> steps_;
  std::vector<bound_move> moves_;
  std::vector<std::int64_t> iterations_;  // of each loop
  bool reads_guards_ = false;
  std::int64_t time_[kroton::graph::most_loops] = {};  // the iteration that each loop has come to

  /// Whether loops and memory are fixed for these values of the symbols.
  bool is_bound(const std::int64_t* symbols) const {
    return bound_ && std::equal(symbols_.begin(), symbols_.end(), symbols);
  }
  /// Fixes loops and memory. The derived executor sets `bound_` when it has bound its own parts, too.
  void bind_program(const std::int64_t* symbols) {
    bound_ = false;
    std::copy_n(symbols, symbols_.size(), symbols_.begin());
    memory_.bind(symbols);
    const step_binder binder(plan_, symbols_.data());
    for (std::size_t s = 0; s < steps_.size(); ++s) binder.bind(plan_.steps[s], steps_[s]);
    for (std::size_t m = 0; m < moves_.size(); ++m) binder.bind(plan_.moves[m], moves_[m]);
    for (std::size_t l = 0; l < iterations_.size(); ++l)
      iterations_[l] = extent_value(plan_.loops[l].iterations, symbols_.data());
  }

  /// Calls `one` with each step, in the order in which they run, and `end` after each iteration of a loop.
  template <class One, class End>
  void for_each_run(const One& one, const End& end) {
    if (plan_.loops.empty())
      for (std::size_t s = 0; s < steps_.size(); ++s) one(s);
    else {
      std::size_t loop = 0;
      run_range(0, steps_.size(), loop, one, end);
    }
  }
  /// Where an access begins in the iterations that the loops have come to, without its own offset.
  struct location {
    int buffer;
    std::byte* start;
  };
  location location_of(int buffer, int move) const {
    std::byte* const base = buffer < 0 ? nullptr : memory_.address(buffer);
    const std::int64_t unit = buffer < 0 ? 1 : size_of(plan_.buffers[buffer].type);
    std::int64_t moved = 0;  // from the base, in elements
    while (move >= 0) {
      const bound_move& m = moves_[static_cast<std::size_t>(move)];
      const std::int64_t row = time_[m.loop] - m.back;
      if (row < 0) {
        const access& initial = plan_.moves[move].initial;
        const location from = location_of(initial.buffer, initial.move);
        return {from.buffer, nest::moved(from.start, (moved + m.initial + time_[m.loop] * m.stride) * unit)};
      }
      moved += m.offset + (m.rows > 0 ? row % m.rows : row) * m.step;
      move = m.outer;
    }
    return {buffer, nest::moved(base, moved * unit)};
  }

  /// Gives a bound step the addresses of its operands, and returns it.
  bound_step& with_addresses(std::size_t index) {
    bound_step& b = steps_[index];
    for (std::size_t i = 0; i < b.operands.size(); ++i) {
      b.operands[i].start = nest::moved(location_of(b.buffers[i], b.moves[i]).start, b.starts[i]);
    }
    b.loops.operands = b.operands.data();
    b.loops.parameters = b.parameters.data();
    return b;
  }
  void run_step(std::size_t index) {
    const step& s = plan_.steps[index];
    if (s.is_done) return;
    bound_step& b = with_addresses(index);
    const int threads = places_[s.place].threads();
    if (has_kernel(s)) return runners_.launchers[runners_.kernel_of[index]](b, threads);
    if (s.kind != step_kind::transfer)
      return runners_.products[runners_.product_of[index]]({plan_, s, b, symbols_.data(), threads});
    const std::int64_t bytes = b.parameters[0] * size_of(s.type);
    if (bytes > 0) std::memcpy(b.operands[1].start, b.operands[0].start, static_cast<std::size_t>(bytes));
  }
  /// Whether a guard of a loop holds. Guards are read on the host; with devices all iterations of all loops run.
  bool holds(const access& guard) const {
    if (guard.buffer < 0 || !reads_guards_) return true;
    const std::int64_t offset = extent_value(guard.offset, symbols_.data());
    return *reinterpret_cast<const bool*>(location_of(guard.buffer, guard.move).start + offset);
  }
  /// Runs the steps [first, past), of which loops from number `loop` on repeat some.
  template <class One, class End>
  void run_range(std::size_t first, std::size_t past, std::size_t& loop, const One& one, const End& end) {
    for (std::size_t s = first;;) {
      if (loop == iterations_.size() || static_cast<std::size_t>(plan_.loops[loop].first) >= past) {
        for (; s < past; ++s) one(s);
        return;
      }
      const loop_of_steps& next = plan_.loops[loop];
      for (; s < static_cast<std::size_t>(next.first); ++s) one(s);
      const std::int64_t count = holds(next.guard) ? iterations_[loop] : 0;
      ++loop;
      const std::size_t inner = loop;
      std::size_t after = inner;
      while (after < iterations_.size() && plan_.loops[after].first < next.past) ++after;
      std::int64_t& t = time_[next.loop];
      bool goes_on = true;
      for (t = 0; t < count && goes_on; ++t) {
        loop = inner;
        run_range(s, static_cast<std::size_t>(next.past), loop, one, end);
        end();
        goes_on = holds(next.more);
      }
      loop = after;
      s = static_cast<std::size_t>(next.past);
    }
  }
  /// Checks indices, which lie at `start` on the host.
  void check_indices(const index_range_check& check, const std::byte* start) const {
    const int threads = places_[plan_.buffers[check.where.buffer].place].threads();
    runners_.check({plan_, check, symbols_.data(), start, threads});
  }
};

}  // namespace kroton::runtime
