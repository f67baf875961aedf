// Runs the steps of a program at several places at the same time, each place in the order of the program.
#pragma once

#include <kroton/runtime/host/program_memory.hpp>
#include <kroton/runtime/host/worker.hpp>

#include <atomic>
#include <exception>

namespace kroton::on_host {

/// What a step waits for: that a queue has come past another step.
struct step_wait {
  int queue, step;
};

/// The queues of a program: one for each worker, and one for what runs in the thread of the caller.
class queues {
 public:
  queues(const plan_view& plan, const std::vector<context>& places) : plan_(plan) {
    std::vector<int> of_place;
    for (const context& place : places) of_place.push_back(queue_of(place.worker()));
    for (const step& s : plan.steps) queue_of_.push_back(of_place[static_cast<std::size_t>(s.place)]);
    for (int q = 0; q < count(); ++q) lines_.push_back(std::make_unique<line>(*this, q));
    waits_.resize(plan.steps.size());
  }
  queues(const queues&) = delete;
  queues& operator=(const queues&) = delete;

  /// Finds what each step waits for: earlier steps of other queues that write what it uses, or use what it writes; and before a
  /// shared variable changes, all checks of indices.
  void find_waits(const program_memory& memory) {
    for (std::size_t s = 0; s < waits_.size(); ++s) {
      waits_[s].clear();
      for (int q = 0; q < count(); ++q) {
        if (q == queue_of_[s]) continue;
        for (std::size_t t = s; t-- > 0;) {
          if (queue_of_[t] != q || !(conflict(memory, plan_.steps[s], plan_.steps[t]) || (changes_state(plan_.steps[s]) && has_check(t)))) continue;
          waits_[s].push_back({q, static_cast<int>(t)});
          break;  // the queue has come past the steps before it too
        }
      }
    }
  }

  /// Calls `run_step(s)` for each step, and returns when all have run. What the first call that throws has thrown is thrown here;
  /// no step that waited for it runs then.
  template <class RunStep>
  void run(const RunStep& run_step) {
    call_ = [](const void* body, std::size_t s) { (*static_cast<const RunStep*>(body))(s); };
    body_ = &run_step;
    stops_ = false;
    error_ = nullptr;
    for (const auto& each : lines_) each->passed = -1;
    running_ = static_cast<int>(std::count_if(workers_.begin(), workers_.end(), [](const auto& w) { return w != nullptr; }));
    line* own = nullptr;
    {  // calls queue up in one order at all workers, so that they cannot wait for each other
      static std::mutex one_call;
      const std::lock_guard lock(one_call);
      for (const auto& each : lines_) {
        if (const auto& worker = workers_[static_cast<std::size_t>(each->index)]) worker->submit(*each);
        else own = each.get();
      }
    }
    if (own != nullptr) run_line(*own);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return running_ == 0; });
    if (error_) std::rethrow_exception(error_);
  }

 private:
  struct line final : worker_job {
    line(queues& owner, int number) : all(owner), index(number) {}
    void run() noexcept override {
      all.run_line(*this);
      const std::lock_guard lock(all.mutex_);  // until it is released, `all` is not gone
      if (--all.running_ == 0) all.done_.notify_one();
    }
    queues& all;
    int index;
    std::atomic<int> passed = -1;  ///< the last step that has run
  };

  plan_view plan_;
  std::vector<std::shared_ptr<worker>> workers_;  // of each queue; none: the thread of the caller
  std::vector<int> queue_of_;                     // of each step
  std::vector<std::unique_ptr<line>> lines_;
  std::vector<std::vector<step_wait>> waits_;     // of each step
  void (*call_)(const void*, std::size_t) = nullptr;
  const void* body_ = nullptr;
  std::atomic<bool> stops_ = false;
  std::mutex mutex_;
  std::condition_variable done_;
  int running_ = 0;  // workers that have not finished
  std::exception_ptr error_;

  int count() const { return static_cast<int>(workers_.size()); }
  int queue_of(const std::shared_ptr<worker>& wanted) {
    for (int q = 0; q < count(); ++q)
      if (workers_[static_cast<std::size_t>(q)] == wanted) return q;
    workers_.push_back(wanted);
    return count() - 1;
  }

  bool conflict(const program_memory& memory, const step& x, const step& y) const {
    for (int i = x.first_access; i < x.first_access + x.accesses; ++i)
      for (int j = y.first_access; j < y.first_access + y.accesses; ++j) {
        const access &a = plan_.accesses[static_cast<std::size_t>(i)], &b = plan_.accesses[static_cast<std::size_t>(j)];
        if ((a.written || b.written) && a.buffer >= 0 && b.buffer >= 0 && memory.overlap(a.buffer, b.buffer)) return true;
      }
    return false;
  }
  bool changes_state(const step& s) const {
    for (int i = s.first_access; i < s.first_access + s.accesses; ++i) {
      const access& a = plan_.accesses[static_cast<std::size_t>(i)];
      if (a.written && plan_.buffers[static_cast<std::size_t>(a.buffer)].kind == buffer_kind::shared) return true;
    }
    return false;
  }
  bool has_check(std::size_t step) const {
    for (const index_range_check& check : plan_.checks)
      if (check.after == static_cast<int>(step)) return true;
    return false;
  }

  void run_line(line& mine) noexcept {
    try {
      for (std::size_t s = 0; s < queue_of_.size(); ++s) {
        if (queue_of_[s] != mine.index) continue;
        for (const step_wait& w : waits_[s]) {
          std::atomic<int>& passed = lines_[static_cast<std::size_t>(w.queue)]->passed;
          for (int at = passed; at < w.step; at = passed) passed.wait(at);
        }
        if (stops_) break;
        call_(body_, s);
        mine.passed = static_cast<int>(s);
        mine.passed.notify_all();
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!stops_) error_ = std::current_exception();
      stops_ = true;
    }
    mine.passed = static_cast<int>(queue_of_.size());
    mine.passed.notify_all();
  }
};

}  // namespace kroton::on_host
