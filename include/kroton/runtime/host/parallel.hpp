// A loop over threads through OpenMP; serial where OpenMP is off.
#pragma once

#include <cstdint>

namespace kroton::host {

/// Calls `body(begin, end)` on consecutive parts of [0, count), at most one a thread, each but the last a multiple of
/// `grain` long. What is computed must not depend on where the parts end.
template <class Body>
void parallel_for(std::int64_t count, std::int64_t grain, int threads, const Body& body) {
  const std::int64_t grains = (count + grain - 1) / grain;
  const std::int64_t workers = grains < threads ? grains : threads;
  if (workers <= 1) {
    if (count > 0) body(std::int64_t{0}, count);
    return;
  }
  const std::int64_t part = (grains + workers - 1) / workers * grain;
#ifdef _OPENMP
#pragma omp parallel for schedule(static, 1) num_threads(static_cast<int>(workers))
#endif
  for (std::int64_t w = 0; w < workers; ++w) {
    const std::int64_t begin = w * part, end = begin + part < count ? begin + part : count;
    if (begin < end) body(begin, end);
  }
}

}  // namespace kroton::host
