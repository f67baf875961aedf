// Where functions run: a host device and how many threads it may use.
#pragma once

#include <kroton/runtime/error.hpp>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace kroton {

class context {
 public:
  /// The host with at most `threads` threads; 0: as many as OpenMP would use (OMP_NUM_THREADS).
  static context host(int threads = 0) { return context(threads); }
  /// The fastest device there is.
  static context best() { return host(); }

  int threads() const {
#ifdef _OPENMP
    return threads_ > 0 ? threads_ : omp_get_max_threads();
#else
    return 1;
#endif
  }

 private:
  explicit context(int threads) : threads_(threads) {}
  int threads_;
};

}  // namespace kroton
