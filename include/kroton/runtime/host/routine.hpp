// This header calls routines on the host.
//
//     step cumsum of (1000, 64) floats, 2 threads  ->  ops::cumsum::host(call), where call.for_each shares its tasks
//                                                      among the threads
#pragma once

#include <kroton/runtime/program/parallel.hpp>
#include <kroton/runtime/program/routine_type.hpp>

#include <exception>
#include <mutex>

namespace kroton::runtime::on_host {

/// The argument of a routine's function `host`.
template <class Call>
struct host_call : Call {
  int threads = 1;  ///< how many the call may use

  /// Calls `task(i)` for each i of [0, count), in any order and in several threads. The tasks share the work on the
  /// elements evenly. If tasks throw, one of the exceptions is thrown here.
  template <class Task>
  void for_each(std::int64_t count, const Task& task) const {
    if (count == 0) return;
    constexpr std::int64_t least = 32768;  // elements for which a thread is worth its start
    const std::int64_t elements = this->result.size() / count + 1;
    std::exception_ptr thrown;
    std::mutex mutex;
    parallel_for(count, least / elements + 1, threads, [&](std::int64_t begin, std::int64_t end) {
      try {
        for (std::int64_t i = begin; i < end; ++i) task(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!thrown) thrown = std::current_exception();
      }
    });
    if (thrown) std::rethrow_exception(thrown);
  }
};

/// Runs a routine. Steps of all programs whose routines have the same type share this function.
template <class Routine>
void launch_routine(const bound_step& b, int threads) {
  host_call<typename Routine::call> call;
  Routine::fill(call, b);
  call.threads = threads;
  Routine::op::host(std::as_const(call));
}

}  // namespace kroton::runtime::on_host
