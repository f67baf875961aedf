// Where functions run: a host device, how many threads it may use, and how much memory.
#pragma once

#include <kroton/runtime/memory.hpp>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace kroton {

class context {
 public:
  /// The host with at most `threads` threads; 0: as many as OpenMP would use (OMP_NUM_THREADS).
  static context host(int threads = 0) { return context(threads, memory_use{}.budget); }
  /// The fastest device there is.
  static context best() { return host(); }

  /// The same device with a budget of so many bytes for the shared variables and temporaries of what is made with the
  /// returned context. Sessions, and calls of functions, that would exceed it throw memory_error before anything changes.
  context with_budget(std::int64_t bytes) const { return context(threads_, bytes); }
  /// What shared variables and temporaries take.
  memory_use memory() const { return account_->now(); }
  const std::shared_ptr<memory_account>& account() const { return account_; }

  int threads() const {
#ifdef _OPENMP
    return threads_ > 0 ? threads_ : omp_get_max_threads();
#else
    return 1;
#endif
  }

 private:
  context(int threads, std::int64_t budget) : threads_(threads), account_(std::make_shared<memory_account>(budget)) {}
  int threads_;
  std::shared_ptr<memory_account> account_;
};

}  // namespace kroton
