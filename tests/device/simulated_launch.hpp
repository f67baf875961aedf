// Tasks on threads, warps and blocks of a simulated device, which are loops, in an order that is drawn.
#pragma once

#include "simulated_arithmetic.hpp"
#include "simulated_stream.hpp"

#include <kroton/runtime/device/selection.hpp>
#include <kroton/runtime/placed_kernels.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

namespace simulated {

/// `Size` threads that run one after the other, in any order, between two points at which they would wait for each
/// other.
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
    shuffled(Size).each([&](std::int64_t t) {
      begin_thread();
      body(static_cast<int>(t), all.of[static_cast<std::size_t>(t)]);
    });
  }
  /// In halves, as a GPU does.
  template <class State, class Get, class Merge>
  void all_reduce(locals<State>& all, const Get& get, const Merge& merge) {
    for (int half = Size / 2; half > 0; half /= 2)
      for (int t = 0; t < half; ++t)
        merge(get(all.of[static_cast<std::size_t>(t)]), get(all.of[static_cast<std::size_t>(t + half)]));
    for (int t = 1; t < Size; ++t) get(all.of[static_cast<std::size_t>(t)]) = get(all.of[0]);
  }
  /// Merges threads whose numbers are the same modulo `across` into the first of them, in halves.
  template <class State, class Merge>
  void reduce_depth(locals<State>& all, int across, const Merge& merge) {
    for (int half = Size / 2; half >= across; half /= 2)
      for (int t = 0; t < half; ++t)
        merge(all.of[static_cast<std::size_t>(t)], all.of[static_cast<std::size_t>(t + half)]);
  }
};

class launch {
 public:
  using few = group<8>;
  using warp = group<32>;
  using half_block = group<128>;
  using block = group<256>;
  launch(kt::runtime::device_stream& on, const char*) : on_(static_cast<stream&>(on)) {}
  template <class Task>
  void threads(std::int64_t count, const Task& task) const {
    put([=] {
      shuffled(count).each([&](std::int64_t i) {
        begin_thread();
        task(i);
      });
    });
  }
  template <class Group, class Task>
  void groups(std::int64_t count, const Task& task) const {
    put([=] {
      shuffled(count).each([&](std::int64_t i) {
        Group g;
        task(g, i);
      });
    });
  }
  template <class Function, class Result, class... Argument>
  void transform(std::int64_t count, const Function& function, Result* result, const Argument*... arguments) const {
    put([=] {
      shuffled(count).each([&](std::int64_t i) {
        begin_thread();
        result[i] = function(arguments[i]...);
      });
    });
  }
  template <class Key, class Value>
  std::int64_t sort_workspace(std::int64_t, int) const {
    return 0;
  }
  template <class Key, class Value>
  void sort_by_key(const Key* keys, Key* sorted, const Value* values, Value* moved, std::int64_t count, int bits,
                   std::byte*) const {
    put([=] {
      std::vector<std::int64_t> order(static_cast<std::size_t>(count));
      std::iota(order.begin(), order.end(), 0);
      const Key mask = bits < static_cast<int>(8 * sizeof(Key)) ? (Key(1) << bits) - 1 : static_cast<Key>(~Key(0));
      std::stable_sort(order.begin(), order.end(),
                       [&](std::int64_t x, std::int64_t y) { return (keys[x] & mask) < (keys[y] & mask); });
      for (std::int64_t i = 0; i < count; ++i) {
        sorted[i] = keys[order[static_cast<std::size_t>(i)]];
        moved[i] = values[order[static_cast<std::size_t>(i)]];
      }
    });
  }
  template <class Flag>
  std::int64_t select_workspace(std::int64_t) const {
    return 0;
  }
  template <class Flag>
  void select(const Flag* mask, std::int64_t count, const kt::runtime::on_device::selection_target& to,
              std::int64_t* found, std::byte*) const {
    put([=] {
      std::int64_t next = 0;
      for (std::int64_t i = 0; i < count; ++i)
        if (mask[i]) to[next++] = i;
      *found = next;
    });
  }

 private:
  stream& on_;
  void put(work w) const {
    ++on_.launches;
    on_.put(std::move(w));
  }
};

}  // namespace simulated
