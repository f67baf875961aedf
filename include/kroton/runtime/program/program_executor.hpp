// This header has the base of the executors of the host and of devices: it binds a program to extents and memory, and
// runs steps on the host.
//
//     bind({batch = 32})  ->  each step has loops and strides in bytes, each buffer an offset in the arena of its place
//     run_step(0)         ->  calls the kernel of step 0 with the addresses of its operands
//     loop of 32 rows     ->  one thread runs all iterations for rows 0 to 15, another for rows 16 to 31
#pragma once

#include <kroton/arithmetic/indexed.hpp>
#include <kroton/runtime/program/binding.hpp>
#include <kroton/runtime/program/executor.hpp>
#include <kroton/runtime/program/parallel.hpp>
#include <kroton/runtime/program/program_memory.hpp>
#include <kroton/runtime/program/step_runners.hpp>

#include <algorithm>
#include <vector>

namespace kroton::runtime {

class program_executor : public executor {
 public:
  const context& place(place_id place) const override { return places_[place]; }
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

 protected:
  /// `places`: the context of each place.
  [[gnu::cold]] program_executor(const plan_view& plan, const step_runners& runners, std::vector<context> places)
      : plan_(plan), runners_(runners), places_(std::move(places)), memory_(plan, places_),
        symbols_(plan.symbols.size(), -1), all_(plan.steps.size()), moves_(plan.moves.size()),
        iterations_(plan.loops.size()), parts_(plan.loops.size()) {
    for (const index_range_check& check : plan_.checks) cannot_fail_ = cannot_fail_ && check.after < 0;
    for (const step& s : plan_.steps) cannot_fail_ = cannot_fail_ && !s.can_fail;
  }

  /// Steps with the addresses of their operands, and the iteration that each loop has come to. Each thread of a loop
  /// whose rows are divided has its own.
  struct step_run {
    std::vector<bound_step> bound;
    std::vector<step> own;  ///< of some of the rows; empty: all steps of the plan
    std::size_t first = 0;  ///< the number of the first step
    std::int64_t time[kroton::graph::most_loops] = {};

    explicit step_run(std::size_t count) : bound(count) {}
  };

  plan_view plan_;
  step_runners runners_;
  indexed_vector<context> places_;
  program_memory memory_;
  std::vector<std::int64_t> symbols_;
  step_run all_;
  std::vector<bound_move> moves_;
  std::vector<std::int64_t> iterations_;      // of each loop
  std::vector<std::vector<step_run>> parts_;  // of each loop: the threads that divide its rows
  bool reads_guards_ = false, divides_rows_ = false;

  /// Whether loops and memory are fixed for these values of the symbols.
  bool is_bound_for(const std::int64_t* symbols) const {
    return bound_ && std::equal(symbols_.begin(), symbols_.end(), symbols);
  }
  /// Fixes loops and memory. The derived executor sets `bound_` when it has bound its own parts, too.
  void bind_program(const std::int64_t* symbols) {
    bound_ = false;
    std::copy_n(symbols, symbols_.size(), symbols_.begin());
    memory_.bind(symbols);
    const step_binder binder(plan_, symbols_.data());
    for (std::size_t s = 0; s < all_.bound.size(); ++s) binder.bind(plan_.steps[s], all_.bound[s]);
    for (std::size_t m = 0; m < moves_.size(); ++m) binder.bind(plan_.moves[m], moves_[m]);
    for (std::size_t l = 0; l < iterations_.size(); ++l)
      iterations_[l] = extent_value(plan_.loops[l].iterations, symbols_.data());
    for (std::size_t l = 0; l < iterations_.size() && divides_rows_; ++l) bind_parts(plan_.loops[l], binder, parts_[l]);
  }

  /// Calls `one` with each step, in the order in which they run, and `end` after each iteration of a loop.
  template <class One, class End>
  void for_each_run(const One& one, const End& end) {
    if (plan_.loops.empty())
      for (std::size_t s = 0; s < all_.bound.size(); ++s) one(s);
    else {
      std::size_t loop = 0;
      run_range(all_, all_.bound.size(), loop, one, end);
    }
  }
  /// Where an access begins in the iterations that the loops have come to, without its own offset.
  struct location {
    int buffer;
    std::byte* start;
  };
  location location_of(int buffer, int move) const { return location_of(all_, buffer, move); }
  location location_of(const step_run& run, int buffer, int move) const {
    std::byte* const base = buffer < 0 ? nullptr : memory_.address(buffer);
    const std::int64_t unit = buffer < 0 ? 1 : size_of(plan_.buffers[buffer].type);
    std::int64_t moved = 0;  // from the base, in elements
    while (move >= 0) {
      const bound_move& m = moves_[static_cast<std::size_t>(move)];
      const std::int64_t row = run.time[m.loop] - m.back;
      if (row < 0) {
        const access& initial = plan_.moves[move].initial;
        const location from = location_of(run, initial.buffer, initial.move);
        return {from.buffer, nest::moved(from.start, (moved + m.initial + run.time[m.loop] * m.stride) * unit)};
      }
      moved += m.offset + (m.rows > 0 ? row % m.rows : row) * m.step;
      move = m.outer;
    }
    return {buffer, nest::moved(base, moved * unit)};
  }

  /// Gives a bound step the addresses of its operands, and returns it.
  bound_step& with_addresses(std::size_t index) { return with_addresses(all_, index); }
  bound_step& with_addresses(step_run& run, std::size_t index) const {
    bound_step& b = run.bound[index - run.first];
    for (std::size_t i = 0; i < b.operands.size(); ++i)
      b.operands[i].start = nest::moved(location_of(run, b.buffers[i], b.moves[i]).start, b.starts[i]);
    b.loops.operands = b.operands.data();
    b.loops.parameters = b.parameters.data();
    return b;
  }
  void run_step(std::size_t index) { run_step(all_, index, places_[plan_.steps[index].place].threads()); }
  void run_step(step_run& run, std::size_t index, int threads) const {
    const step& s = run.own.empty() ? plan_.steps[index] : run.own[index - run.first];
    if (s.is_done) return;
    bound_step& b = with_addresses(run, index);
    if (has_kernel(s)) return runners_.launchers[runners_.kernel_of[index]](b, threads);
    if (s.kind != step_kind::transfer)
      return runners_.products[runners_.product_of[index]]({plan_, s, b, symbols_.data(), threads});
    run_transfer(s, b);
  }
  /// Whether a guard of a loop holds. Guards are read on the host; with devices all iterations of all loops run.
  bool holds(const access& guard) const {
    if (guard.buffer < 0 || !reads_guards_) return true;
    const std::int64_t offset = extent_value(guard.offset, symbols_.data());
    return *reinterpret_cast<const bool*>(location_of(guard.buffer, guard.move).start + offset);
  }
  /// Runs the steps of `run` before `past`, of which loops from number `loop` on repeat some.
  template <class One, class End>
  void run_range(step_run& run, std::size_t past, std::size_t& loop, const One& one, const End& end,
                 std::size_t first = 0) {
    for (std::size_t s = first;;) {
      if (loop == iterations_.size() || static_cast<std::size_t>(plan_.loops[loop].first) >= past) {
        for (; s < past; ++s) one(s);
        return;
      }
      const loop_of_steps& next = plan_.loops[loop];
      for (; s < static_cast<std::size_t>(next.first); ++s) one(s);
      const std::int64_t count = holds(next.guard) ? iterations_[loop] : 0;
      if (count == 0 || parts_[loop].empty()) run_loop(run, loop, count, one, end);
      else run_parts(run, loop);
      s = static_cast<std::size_t>(next.past);
    }
  }
  /// Checks indices, which lie at `start` on the host.
  void check_indices(const index_range_check& check, const std::byte* start) const {
    const int threads = places_[plan_.buffers[check.where.buffer].place].threads();
    runners_.check({plan_, check, symbols_.data(), start, threads});
  }

 private:
  /// The number of the loop that follows loop `loop` and those in it.
  std::size_t after(std::size_t loop) const {
    const int past = plan_.loops[loop].past;
    while (loop < iterations_.size() && plan_.loops[loop].first < past) ++loop;
    return loop;
  }
  template <class One, class End>
  void run_loop(step_run& run, std::size_t& loop, std::int64_t count, const One& one, const End& end) {
    const std::size_t number = loop;
    const loop_of_steps& repeated = plan_.loops[number];
    std::int64_t& t = run.time[repeated.loop];
    bool goes_on = true;
    for (t = 0; t < count && goes_on; ++t) {
      loop = number + 1;
      run_range(run, static_cast<std::size_t>(repeated.past), loop, one, end, static_cast<std::size_t>(repeated.first));
      end();
      goes_on = holds(repeated.more);
    }
    loop = after(number);
  }
  /// Runs a loop in several threads, each with its own rows.
  void run_parts(step_run& run, std::size_t& loop) {
    std::vector<step_run>& parts = parts_[loop];
    const auto count = static_cast<std::int64_t>(parts.size());
    parallel_for(count, 1, static_cast<int>(count), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        step_run& part = parts[static_cast<std::size_t>(i)];
        std::copy(std::begin(run.time), std::end(run.time), part.time);
        std::size_t own = loop;
        const auto one = [&](std::size_t s) { run_step(part, s, 1); };
        run_loop(part, own, iterations_[loop], one, [] {});
      }
    });
    std::copy(std::begin(parts[0].time), std::end(parts[0].time), run.time);  // what follows reads the last values
    loop = after(loop);
  }
  /// Makes the parts of a loop: none, if it has too few rows for the threads or so little work that it ends before
  /// other threads have begun.
  void bind_parts(const loop_of_steps& loop, const step_binder& binder, std::vector<step_run>& parts) const {
    constexpr std::int64_t least_rows = 8, least_work = 1 << 17;
    parts.clear();
    if (loop.rows == 0) return;
    const int threads = places_[plan_.steps[loop.first].place].threads();
    const std::int64_t rows = extent_value(loop.rows, symbols_.data());
    if (threads < 2 || rows / threads < least_rows || work_of(loop) < least_work) return;
    const auto count = static_cast<std::size_t>(loop.past - loop.first);
    for (int p = 0; p < threads; ++p) {
      const std::int64_t first = rows * p / threads, past = rows * (p + 1) / threads;
      step_run& part = parts.emplace_back(count);
      part.first = static_cast<std::size_t>(loop.first);
      for (std::size_t s = 0; s < count; ++s) {
        part.own.push_back(plan_.steps[part.first + s]);
        binder.bind_rows(part.own.back(), first, past - first, part.bound[s]);
      }
    }
  }
  /// How many elements its iterations compute; a product counts as more of them.
  std::int64_t work_of(const loop_of_steps& loop) const {
    constexpr std::int64_t products_of_element = 16;
    std::int64_t work = 0;
    for (int s = loop.first; s < loop.past; ++s) {
      const step& k = plan_.steps[s];
      std::int64_t own =
          k.kind == step_kind::dot ? all_.bound[static_cast<std::size_t>(s)].parameters[0] : products_of_element;
      for (int axis = 0; axis < k.space.rank; ++axis)
        own = product_of_extents(own, extent_value(k.space[axis], symbols_.data()));
      work += own / products_of_element;
    }
    return product_of_extents(work, extent_value(loop.iterations, symbols_.data()));
  }
};

}  // namespace kroton::runtime
