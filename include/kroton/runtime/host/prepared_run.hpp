// This header runs the steps of a program without loops in the thread of the caller. What a step needs is found once
// for the extents of a call, so that a run sets the addresses that the caller gives and calls the kernels.
//
//     y = 2 x, then z = y + w  ->  addresses: x, w and z; kernels: 2, each with its loops and threads
#pragma once

#include <kroton/arithmetic/indexed.hpp>
#include <kroton/runtime/host/blocked_steps.hpp>
#include <kroton/runtime/program/program_memory.hpp>
#include <kroton/runtime/program/step_runners.hpp>

#include <vector>

namespace kroton::runtime::on_host {

class prepared_run {
 public:
  /// `bound`: the steps, bound to the extents of a call. They, the plan and the symbols live as long as this object.
  prepared_run(const plan_view& plan, const step_runners& runners, const program_memory& memory,
               const indexed_vector<context>& places, std::vector<bound_step>& bound, const std::int64_t* symbols)
      : plan_(&plan), symbols_(symbols) {
    works_.reserve(bound.size());
    std::size_t past_blocks = 0;
    for (std::size_t i = 0; i < bound.size(); ++i) {
      const step& s = plan.steps[i];
      bound_step& b = bound[i];
      b.loops.operands = b.operands.data();
      b.loops.parameters = b.parameters.data();
      for (std::size_t k = 0; k < b.operands.size(); ++k) {
        const int buffer = b.buffers[k] < 0 ? -1 : memory_of(plan.buffers, b.buffers[k]);
        const bool is_given = buffer >= 0 && plan.buffers[buffer].kind != buffer_kind::temporary;
        std::byte*& start = b.operands[k].start;
        if (is_given) given_.push_back({&start, plan.buffers[buffer].kind, plan.buffers[buffer].index, b.starts[k]});
        else start = nest::moved(buffer < 0 ? nullptr : memory.address(buffer), b.starts[k]);
      }
      work& w = works_.emplace_back(work{&s, &b, places[s.place].threads()});
      if (s.blocked > 0 && blocked_steps::pays(plan, i, bound, symbols)) {
        w.what = work::kind::blocks, w.run.blocked = blocked_.size();
        blocked_.emplace_back(plan, runners, bound, i, symbols, w.threads);
        past_blocks = i + static_cast<std::size_t>(s.blocked);
      } else if (s.is_done || i < past_blocks) w.what = work::kind::nothing;
      else if (has_kernel(s)) w.run.kernel = runners.launchers[runners.kernel_of[i]];
      else if (s.kind == step_kind::transfer) w.what = work::kind::copy;
      else w.what = work::kind::product, w.run.product = runners.products[runners.product_of[i]];
    }
  }
  /// Gives the operands the addresses of a call.
  void set_addresses(const std::byte* const* inputs, std::byte* const* shared, std::byte* const* outputs) const {
    for (const given_operand& g : given_) {
      const std::byte* const* const all = g.kind == buffer_kind::input    ? inputs
                                          : g.kind == buffer_kind::shared ? shared
                                                                          : outputs;
      *g.start = nest::moved(const_cast<std::byte*>(all[g.index]), g.offset);
    }
  }
  void run() {
    for (const work& w : works_) run(w);
  }
  /// The first of blocked steps runs all of them.
  void run(std::size_t step) { run(works_[step]); }

 private:
  struct work {
    enum class kind { kernel, product, blocks, copy, nothing };
    const step* of;
    const bound_step* bound;
    int threads;
    kind what = kind::kernel;
    union {
      launcher kernel = nullptr;
      product_runner product;
      std::size_t blocked;  ///< the number among the blocked steps
    } run = {};
  };
  /// An operand in an argument, a shared variable or an output.
  struct given_operand {
    std::byte** start;
    buffer_kind kind;
    int index;
    std::int64_t offset;
  };
  const plan_view* plan_;
  const std::int64_t* symbols_;
  std::vector<work> works_;
  std::vector<blocked_steps> blocked_;
  std::vector<given_operand> given_;

  void run(const work& w) {
    switch (w.what) {
      case work::kind::kernel: return w.run.kernel(*w.bound, w.threads);
      case work::kind::product: return w.run.product({*plan_, *w.of, *w.bound, symbols_, w.threads});
      case work::kind::blocks: return blocked_[w.run.blocked].run();
      case work::kind::copy: return run_transfer(*w.of, *w.bound);
      case work::kind::nothing: return;
    }
  }
};

}  // namespace kroton::runtime::on_host
