// This header runs the steps of a program on the host: one after the other, or at several places at the same time.
//
//     steps 0, 1, 2 at home  ->  run_step(0), run_step(1), run_step(2) in the calling thread
#pragma once

#include <kroton/runtime/host/prepared_run.hpp>
#include <kroton/runtime/host/queues.hpp>
#include <kroton/runtime/program/program_executor.hpp>

#include <cstring>
#include <optional>

namespace kroton::runtime::on_host {

class executor final : public program_executor {
 public:
  [[gnu::cold]] executor(const plan_view& plan, const step_runners& runners, std::vector<context> places)
      : program_executor(plan, runners, std::move(places)) {
    reads_guards_ = divides_rows_ = true;
    reads_addresses_ = !plan.checks.empty();
    for (const write_back& w : plan.writes) reads_addresses_ = reads_addresses_ || w.from >= 0;
    for (const step& s : plan.steps)  // one after the other, where some are repeated
      if (plan.loops.empty() && places_[s.place].worker() != nullptr) queues_ = std::make_unique<queues>(plan, places_);
  }

  void bind(const std::int64_t* symbols) override {
    if (is_bound_for(symbols)) return;
    bind_program(symbols);
    if (queues_ != nullptr) queues_->find_waits(memory_);
    else if (plan_.loops.empty()) prepared_.emplace(plan_, runners_, memory_, places_, all_.bound, symbols_.data());
    bound_ = true;
  }
  void run(const std::byte* const* inputs, std::byte* const* shared, std::byte* const* outputs,
           std::uint64_t) override {
    if (prepared_) {
      prepared_->set_addresses(inputs, shared, outputs);
      if (!reads_addresses_) return prepared_->run();
    }
    memory_.set_addresses(inputs, shared, outputs);
    check_indices_after(-1);
    const auto one = [this](std::size_t s) {
      if (prepared_) prepared_->run(s);
      else run_step(s);
      if (!plan_.checks.empty()) check_indices_after(static_cast<int>(s));
    };
    if (queues_ != nullptr) queues_->run(one);
    else for_each_run(one, [] {});
    for (const write_back& w : plan_.writes) {
      const std::int64_t count = w.from < 0 ? 0 : memory_.bytes(w.from);
      if (count > 0) std::memcpy(memory_.address(w.to), memory_.address(w.from), static_cast<std::size_t>(count));
    }
  }
  void run_between(list_view<stream_use>, const std::byte* const* inputs, std::byte* const* shared,
                   std::byte* const* outputs, std::uint64_t version) override {
    run(inputs, shared, outputs, version);  // all is done when it returns, and memory of the host has no streams
  }
  std::shared_ptr<pending_value> pending_output(std::size_t) const override { return nullptr; }

 private:
  std::unique_ptr<queues> queues_;        // none: all steps run in the thread of the caller
  std::optional<prepared_run> prepared_;  // of a program without loops or queues
  bool reads_addresses_ = false;          // before, between or after the steps

  void check_indices_after(int step) const {
    for (const index_range_check& check : plan_.checks)
      if (check.after == step) check_indices(check, location_of(check.where.buffer, check.where.move).start);
  }
};

}  // namespace kroton::runtime::on_host
