// Threads of a device as loops on the host, so that the bodies of kernels run where there is no GPU.
#pragma once

#include <kroton/runtime/device/launch.hpp>

#include <vector>

namespace simulated {

/// `Size` threads that run one after the other between two points at which they would wait for each other.
template <int Size>
struct group {
  static constexpr int size = Size;
  template <class State>
  struct locals {
    explicit locals(group&) : of(static_cast<std::size_t>(Size)) {}
    std::vector<State> of;
  };
  template <class State, class Body>
  void each(locals<State>& all, const Body& body) {
    for (int t = 0; t < Size; ++t) body(t, all.of[static_cast<std::size_t>(t)]);
  }
  /// In halves, as a GPU does.
  template <class State, class Get, class Merge>
  void all_reduce(locals<State>& all, const Get& get, const Merge& merge) {
    for (int half = Size / 2; half > 0; half /= 2)
      for (int t = 0; t < half; ++t) merge(get(all.of[static_cast<std::size_t>(t)]), get(all.of[static_cast<std::size_t>(t + half)]));
    for (int t = 1; t < Size; ++t) get(all.of[static_cast<std::size_t>(t)]) = get(all.of[0]);
  }
  /// Merges threads whose numbers are the same modulo `Across` into the first of them.
  template <int Across, class State, class Merge>
  void reduce_depth(locals<State>& all, const Merge& merge) {
    for (int t = Across; t < Size; ++t) merge(all.of[static_cast<std::size_t>(t % Across)], all.of[static_cast<std::size_t>(t)]);
  }
};

struct launch {
  using warp = group<32>;
  using block = group<256>;
  template <class Task>
  void threads(std::int64_t count, const Task& task) const {
    for (std::int64_t i = 0; i < count; ++i) task(i);
  }
  template <class Task>
  void warps(std::int64_t count, const Task& task) const {
    warp g;
    for (std::int64_t i = 0; i < count; ++i) task(g, i);
  }
  template <class Task>
  void blocks(std::int64_t count, const Task& task) const {
    block g;
    for (std::int64_t i = 0; i < count; ++i) task(g, i);
  }
};

}  // namespace simulated
