// This header keeps steps on different streams in order: a step waits for an event of each step on another stream that
// wrote a buffer that it reads, or used a buffer that it writes.
//
//     step 0 on stream a writes t, step 1 on stream b reads t  ->  event after step 0, b waits for it before step 1
#pragma once

#include <kroton/passes/program.hpp>
#include <kroton/runtime/context/driver.hpp>
#include <kroton/arithmetic/indexed.hpp>
#include <kroton/runtime/program/program_memory.hpp>

#include <algorithm>
#include <vector>

namespace kroton::runtime::on_device {

class step_order {
 public:
  /// `streams`: the stream of each place; null for a place on the host.
  step_order(const plan_view& plan, std::vector<device_stream*> streams)
      : plan_(plan), streams_(std::move(streams)), waits_(plan.steps.size()), events_(plan.steps.size()) {}

  /// Finds the last step of each other stream that a step must not overtake.
  void bind(const program_memory& memory) {
    for (std::size_t s = 0; s < waits_.size(); ++s) {
      waits_[s].clear();
      std::vector<const device_stream*> found{stream_of(s)};
      for (std::size_t t = s; t-- > 0;) {
        device_stream* const other = stream_of(t);
        if (other == nullptr || found[0] == nullptr || std::find(found.begin(), found.end(), other) != found.end())
          continue;
        if (!conflict(memory, plan_.steps[s], plan_.steps[t])) continue;
        found.push_back(other);
        waits_[s].push_back(t);
        if (events_[t] == nullptr) events_[t] = other->make_event();
      }
    }
  }
  /// Makes later work on `stream` wait for the steps that step `s` must not overtake.
  void before(std::size_t s, device_stream& stream) const {
    for (std::size_t t : waits_[s]) stream.wait(*events_[t]);
  }
  /// Records on `stream` that step `s` has been put there.
  void after(std::size_t s, device_stream& stream) const {
    if (events_[s] != nullptr) stream.record(*events_[s]);
  }

 private:
  plan_view plan_;
  indexed_vector<device_stream*> streams_;
  std::vector<std::vector<std::size_t>> waits_;        // for each step: the steps on other streams that it waits for
  std::vector<std::unique_ptr<device_event>> events_;  // for the steps that other steps wait for

  device_stream* stream_of(std::size_t s) const { return streams_[plan_.steps[s].place]; }
  bool conflict(const program_memory& memory, const step& x, const step& y) const {
    for (int i = 0; i < x.accesses; ++i)
      for (int j = 0; j < y.accesses; ++j) {
        const access &a = plan_.access_of(x, i), &b = plan_.access_of(y, j);
        if ((a.written || b.written) && a.buffer >= 0 && b.buffer >= 0 && memory.overlap(a.buffer, b.buffer))
          return true;
      }
    return false;
  }
};

}  // namespace kroton::runtime::on_device
