// This header has the thread of a host device, which runs the jobs that it is given, one after the other, on one core.
#pragma once

#include <kroton/runtime/context/device.hpp>

#include <condition_variable>
#include <mutex>
#include <thread>

#ifdef __linux__
#include <sched.h>
#endif

namespace kroton::runtime {

/// The task of a worker; it lives until `run` has returned.
class worker_job {
 public:
  virtual void run() noexcept = 0;

 protected:
  ~worker_job() = default;

 private:
  friend class worker;
  worker_job* next_ = nullptr;
};

class worker {
 public:
  /// Starts the thread on core `core` of `host_cores()`.
  explicit worker(int core) : thread_([this, core] { work(core); }) {}
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;
  ~worker() {
    {
      const std::lock_guard lock(mutex_);
      stops_ = true;
    }
    wakes_.notify_one();
    thread_.join();
  }

  void submit(worker_job& job) {
    job.next_ = nullptr;
    {
      const std::lock_guard lock(mutex_);
      (first_ == nullptr ? first_ : last_->next_) = &job;
      last_ = &job;
    }
    wakes_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable wakes_;
  worker_job *first_ = nullptr, *last_ = nullptr;
  bool stops_ = false;
  std::thread thread_;

  void work([[maybe_unused]] int core) {
#ifdef __linux__
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(static_cast<std::size_t>(host_cores()[static_cast<std::size_t>(core)]), &only);
    sched_setaffinity(0, sizeof only, &only);
#endif
    std::unique_lock lock(mutex_);
    while (true) {
      wakes_.wait(lock, [this] { return stops_ || first_ != nullptr; });
      if (first_ == nullptr) return;
      worker_job& job = *first_;
      first_ = job.next_;
      lock.unlock();
      job.run();
      lock.lock();
    }
  }
};

}  // namespace kroton::runtime
