// Runs the steps of a program on the host.
#pragma once

#include <kroton/runtime/executor.hpp>
#include <kroton/runtime/host/binding.hpp>
#include <kroton/runtime/host/queues.hpp>
#include <kroton/runtime/host/step_runners.hpp>

#include <cstring>

namespace kroton::on_host {

class executor : public kroton::executor {
 public:
  /// `places`: the context of each place.
  [[gnu::cold]] executor(const plan_view& plan, const step_runners& runners, std::vector<context> places)
      : plan_(plan), runners_(runners), places_(std::move(places)), memory_(plan, places_),
        symbols_(plan.symbols.size(), -1), steps_(plan.steps.size()) {
    for (const step& s : plan.steps)
      if (places_[static_cast<std::size_t>(s.place)].worker() != nullptr)
        queues_ = std::make_unique<queues>(plan, places_);
  }

  /// Whether loops and memory are fixed for these values of the symbols.
  bool is_bound(const std::int64_t* symbols) const {
    return bound_ && std::equal(symbols_.begin(), symbols_.end(), symbols);
  }
  void bind(const std::int64_t* symbols) override {
    if (is_bound(symbols)) return;
    bound_ = false;
    std::copy_n(symbols, symbols_.size(), symbols_.begin());
    memory_.bind(symbols);
    const step_binder binder(plan_, symbols_.data());
    for (std::size_t s = 0; s < steps_.size(); ++s) binder.bind(plan_.steps[s], steps_[s]);
    if (queues_ != nullptr) queues_->find_waits(memory_);
    bound_ = true;
  }
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
    return true;
  }
  void run(const std::byte* const* inputs, std::byte* const* shared, std::byte* const* outputs,
           std::uint64_t) override {
    memory_.place(inputs, shared, outputs);
    check_indices(-1);
    const auto one = [this](std::size_t s) {
      run_step(s);
      if (!plan_.checks.empty()) check_indices(static_cast<int>(s));
    };
    if (queues_ != nullptr) queues_->run(one);
    else
      for (std::size_t s = 0; s < steps_.size(); ++s) one(s);
    for (const write_back& w : plan_.writes) {
      const std::int64_t count = w.from < 0 ? 0 : memory_.bytes(w.from);
      if (count > 0) std::memcpy(memory_.address(w.to), memory_.address(w.from), static_cast<std::size_t>(count));
    }
  }
  std::shared_ptr<pending_value> pending_output(std::size_t) const override { return nullptr; }

 protected:
  plan_view plan_;
  step_runners runners_;
  std::vector<context> places_;
  program_memory memory_;
  std::unique_ptr<queues> queues_;  // none: all steps run in the thread of the caller
  bool bound_ = false;
  std::vector<std::int64_t> symbols_;
  std::vector<bound_step> steps_;

  /// A step with the addresses of its operands.
  bound_step& with_addresses(std::size_t index) {
    bound_step& b = steps_[index];
    for (std::size_t i = 0; i < b.operands.size(); ++i) {
      std::byte* base = b.buffers[i] < 0 ? nullptr : memory_.address(b.buffers[i]);
      b.operands[i].start = nest::moved(base, b.starts[i]);
    }
    b.loops.operands = b.operands.data();
    b.loops.parameters = b.parameters.data();
    return b;
  }
  void run_step(std::size_t index) {
    const step& s = plan_.steps[index];
    bound_step& b = with_addresses(index);
    const int threads = places_[static_cast<std::size_t>(s.place)].threads();
    if (has_kernel(s)) return runners_.launchers[runners_.kernel_of[index]](b, threads);
    if (s.kind != step_kind::transfer)
      return runners_.products[runners_.product_of[index]]({plan_, s, b, symbols_.data(), threads});
    const std::int64_t bytes = b.parameters[0] * size_of(s.type);
    if (bytes > 0) std::memcpy(b.operands[1].start, b.operands[0].start, static_cast<std::size_t>(bytes));
  }
  void check_indices(int after) const {
    for (const index_range_check& check : plan_.checks)
      if (check.after == after) runners_.check({plan_, check, symbols_.data(), memory_.address(check.where.buffer)});
  }
};

}  // namespace kroton::on_host
