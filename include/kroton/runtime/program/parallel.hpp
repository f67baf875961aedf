// This header runs a loop over threads through OpenMP, or in one thread where OpenMP is off.
//
//     parallel_for(100, 10, 2, body)  ->  body(0, 50) and body(50, 100), at the same time
#pragma once

#include <cstdint>
#include <cstdlib>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace kroton::runtime {

/// While a limit lives, OpenMP regions that this thread starts (those of BLAS) have at most `threads` threads.
class thread_limit {
 public:
  explicit thread_limit([[maybe_unused]] int threads) {
#ifdef _OPENMP
    before_ = omp_get_max_threads();
    if (before_ != threads) omp_set_num_threads(threads);
#endif
  }
  ~thread_limit() {
#ifdef _OPENMP
    if (omp_get_max_threads() != before_) omp_set_num_threads(before_);
#endif
  }
  thread_limit(const thread_limit&) = delete;
  thread_limit& operator=(const thread_limit&) = delete;

 private:
  [[maybe_unused]] int before_ = 1;
};

/// The body of a parallel loop, which is called for each part; `what` is data of the body.
using loop_body = void (*)(const void* what, std::int64_t begin, std::int64_t end);

/// Runs the parts on several threads. It is no template, so that the code that OpenMP makes of it exists once, not in
/// each kernel.
[[gnu::noinline]] inline void run_parts(std::int64_t count, std::int64_t grain, int threads, loop_body body,
                                        const void* what) {
  const std::int64_t grains = (count + grain - 1) / grain;
  const std::int64_t workers = grains < threads ? grains : threads;
  const std::int64_t part = (grains + workers - 1) / workers * grain;
#ifdef _OPENMP
#pragma omp parallel for schedule(static, 1) num_threads(static_cast <int>(workers))
#endif
  for (std::int64_t w = 0; w < workers; ++w) {
    const std::int64_t begin = w * part, end = begin + part < count ? begin + part : count;
    if (begin < end) body(what, begin, end);
  }
}

/// Whether threads spin while they wait for the next region, so that it starts within a microsecond. Where they sleep,
/// which they do with OMP_WAIT_POLICY=passive and where they are more than the processors, a start takes about fifty.
inline bool starts_fast([[maybe_unused]] int threads) {
#ifdef _OPENMP
  static const int spinning = [] {
    const char* const policy = std::getenv("OMP_WAIT_POLICY");
    return policy != nullptr && (*policy == 'p' || *policy == 'P') ? 0 : omp_get_num_procs();
  }();
  return threads <= spinning;
#else
  return false;
#endif
}

/// Calls `body(begin, end)` on consecutive parts of [0, count), at most one a thread, each but the last a multiple of
/// `grain` long. The result must not depend on where the parts end.
template <class Body>
void parallel_for(std::int64_t count, std::int64_t grain, int threads, const Body& body) {
  if (threads > 1 && count > grain)
    run_parts(
        count, grain, threads,
        [](const void* what, std::int64_t begin, std::int64_t end) { (*static_cast<const Body*>(what))(begin, end); },
        &body);
  else if (count > 0) body(std::int64_t{0}, count);
}

}  // namespace kroton::runtime
