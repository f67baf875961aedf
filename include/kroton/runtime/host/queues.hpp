// This header runs the steps of a program at several places of the host at the same time, each place in the order of
// the program.
//
//     steps 0 at a, 1 at b, 2 at a, which reads the result of 1  ->  a: 0, waits for 1, 2;  b: 1
#pragma once

#include <kroton/runtime/program/program_memory.hpp>
#include <kroton/runtime/context/worker.hpp>

#include <exception>

namespace kroton::runtime::on_host {

/// The queues of a program: one for each worker, and one for the steps that run in the thread of the caller.
class queues {
 public:
  [[gnu::cold]] queues(const plan_view& plan, const std::vector<context>& places)
      : plan_(plan), queue_of_(plan.steps.size()) {
    for (std::size_t s = 0; s < queue_of_.size(); ++s)
      queue_of_[s] = queue_of(places[static_cast<std::size_t>(plan.steps[s].place)].worker());
    lines_.reset(new line[workers_.size()]);
    for (std::size_t q = 0; q < workers_.size(); ++q) {
      lines_[q].all = this;
      lines_[q].index = static_cast<int>(q);
    }
  }
  queues(const queues&) = delete;
  queues& operator=(const queues&) = delete;

  /// Finds the steps that each step waits for: earlier steps of other queues that write a buffer that it uses, or use a
  /// buffer that it writes. A step that changes a shared variable also waits for all earlier steps that may throw.
  void find_waits(const program_memory& memory) {
    waits_.assign(queue_of_.size() * workers_.size(), -1);
    for (std::size_t s = 0; s < queue_of_.size(); ++s)
      for (std::size_t t = 0; t < s; ++t)
        if (queue_of_[t] != queue_of_[s] &&
            (conflict(memory, plan_.steps[s], plan_.steps[t]) || (changes_state(plan_.steps[s]) && has_check(t))))
          wait_of(s, queue_of_[t]) =
              static_cast<int>(t);  // the last one counts, which runs after the others of its queue
  }

  /// Calls `run_step(s)` for each step, and returns when all have run. The exception of the first call that throws is
  /// thrown here; then no step that waited for that step runs.
  template <class RunStep>
  void run(const RunStep& run_step) {
    call_ = [](const void* body, std::size_t s) { (*static_cast<const RunStep*>(body))(s); };
    body_ = &run_step;
    stops_ = false;
    error_ = nullptr;
    running_ = 0;
    line* own = nullptr;
    for (std::size_t q = 0; q < workers_.size(); ++q) {
      lines_[q].passed = -1;
      if (workers_[q] == nullptr) own = &lines_[q];
      else ++running_;
    }
    submit();
    if (own != nullptr) run_line(*own);
    std::unique_lock lock(mutex_);
    moved_.wait(lock, [this] { return running_ == 0; });
    if (error_) std::rethrow_exception(error_);
  }

 private:
  struct line final : worker_job {
    queues* all = nullptr;
    int index = 0;
    int passed = -1;  ///< the last step that has run
    void run() noexcept override {
      all->run_line(*this);
      const std::lock_guard lock(all->mutex_);  // `all` lives until the lock is released
      if (--all->running_ == 0) all->moved_.notify_all();
    }
  };

  plan_view plan_;
  std::vector<int> queue_of_;                     // the queue of each step
  std::vector<std::shared_ptr<worker>> workers_;  // the worker of each queue; null: the thread of the caller
  std::unique_ptr<line[]> lines_;                 // one for each queue
  // for each step and each queue: the step that the queue must have passed; -1: none
  std::vector<int> waits_;
  void (*call_)(const void*, std::size_t) = nullptr;
  const void* body_ = nullptr;
  std::mutex mutex_;  // guards the members below, and `passed`
  std::condition_variable moved_;
  bool stops_ = false;
  int running_ = 0;  // workers that have not finished
  std::exception_ptr error_;

  int queue_of(const std::shared_ptr<worker>& wanted) {
    for (std::size_t q = 0; q < workers_.size(); ++q)
      if (workers_[q] == wanted) return static_cast<int>(q);
    workers_.push_back(wanted);
    return static_cast<int>(workers_.size()) - 1;
  }
  int& wait_of(std::size_t step, int queue) { return waits_[step * workers_.size() + static_cast<std::size_t>(queue)]; }
  /// Puts the calls of all programs into the queues of all workers in one order, so that they cannot wait for each
  /// other.
  void submit() {
    static std::mutex one_call;
    const std::lock_guard lock(one_call);
    for (std::size_t q = 0; q < workers_.size(); ++q)
      if (workers_[q] != nullptr) workers_[q]->submit(lines_[q]);
  }

  bool conflict(const program_memory& memory, const step& x, const step& y) const {
    for (int i = x.first_access; i < x.first_access + x.accesses; ++i)
      for (int j = y.first_access; j < y.first_access + y.accesses; ++j) {
        const access &a = plan_.accesses[i], &b = plan_.accesses[j];
        if ((a.written || b.written) && a.buffer >= 0 && b.buffer >= 0 && memory.overlap(a.buffer, b.buffer))
          return true;
      }
    return false;
  }
  bool changes_state(const step& s) const {
    for (int i = s.first_access; i < s.first_access + s.accesses; ++i) {
      const access& a = plan_.accesses[i];
      if (a.written && plan_.buffers[a.buffer].kind == buffer_kind::shared) return true;
    }
    return false;
  }
  bool has_check(std::size_t step) const {
    if (plan_.steps[step].can_fail) return true;
    for (const index_range_check& check : plan_.checks)
      if (check.after == static_cast<int>(step)) return true;
    return false;
  }

  void run_line(line& mine) noexcept {
    for (std::size_t s = 0; s < queue_of_.size(); ++s) {
      if (queue_of_[s] != mine.index) continue;
      if (!may_run(s)) break;
      try {
        call_(body_, s);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!stops_) error_ = std::current_exception();
        stops_ = true;
        moved_.notify_all();
        break;
      }
      pass(mine, static_cast<int>(s));
    }
    pass(mine, static_cast<int>(queue_of_.size()));
  }
  /// Waits for the steps that step `s` waits for. Returns whether no other step has thrown.
  bool may_run(std::size_t s) {
    std::unique_lock lock(mutex_);
    for (std::size_t q = 0; q < workers_.size(); ++q)
      while (!stops_ && lines_[q].passed < wait_of(s, static_cast<int>(q))) moved_.wait(lock);
    return !stops_;
  }
  void pass(line& mine, int step) {
    const std::lock_guard lock(mutex_);
    mine.passed = step;
    moved_.notify_all();
  }
};

}  // namespace kroton::runtime::on_host
