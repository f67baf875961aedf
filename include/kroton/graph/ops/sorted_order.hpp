// This header has the operation sorted_order: the positions of the elements of a vector in ascending order.
#pragma once

#include <kroton/graph/routine.hpp>

#include <algorithm>

namespace kroton {

namespace graph {
/// An element and its position. No two are equal, so that there is one order.
struct keyed_position {
  std::uint64_t key;
  std::int64_t position;
  KROTON_HD friend constexpr bool operator<(const keyed_position& x, const keyed_position& y) {
    return x.key < y.key || (x.key == y.key && x.position < y.position);
  }
};
struct key_task {
  const std::uint64_t* x;
  keyed_position* keyed;
  KROTON_HD constexpr void operator()(std::int64_t i) const { keyed[i] = {x[i], i}; }
};
struct position_task {
  const keyed_position* keyed;
  std::int64_t* positions;
  KROTON_HD constexpr void operator()(std::int64_t i) const { positions[i] = keyed[i].position; }
};
/// Puts an element of a sorted run of `width` to where it is in the run merged with its neighbour: behind those before
/// it in its own run, and those of the neighbour that are less.
struct merge_task {
  const keyed_position* from;
  keyed_position* to;
  std::int64_t width, count;
  KROTON_HD constexpr void operator()(std::int64_t i) const {
    const std::int64_t own = i / width * width, neighbour = i / width % 2 == 0 ? own + width : own - width;
    const std::int64_t first = neighbour < count ? neighbour : count;
    std::int64_t low = first, high = first + width < count ? first + width : count;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (from[middle] < from[i]) low = middle + 1;
      else high = middle;
    }
    to[(own < neighbour ? own : neighbour) + (i - own) + (low - first)] = from[i];
  }
};
}  // namespace graph

namespace ops {
/// Of 64-bit keys; equal ones are in the order of their positions.
struct sorted_order : routine<sorted_order, 1, operands::integral> {
  static constexpr const char* name = "sorted_order";
  static constexpr int cost = 60;
  static constexpr bool cannot_fail = true;
  static constexpr bool types_agree(const dtype* types, int) { return types[0] == dtype::uint64; }
  static constexpr dtype result(const dtype*, int) { return dtype::int64; }
  static constexpr bool ranks_agree(const shape* x, const form&) { return x[0].rank == 1; }
  static constexpr extent_code workspace(auto& table, const shape* x, const dtype*, const form&) {
    return table.multiply(table.elements(x[0]), sizeof(keyed_position));
  }

  static void host(const auto& call) {
    const auto& [x] = call.operands;
    keyed_position* const keyed = reinterpret_cast<keyed_position*>(call.workspace);
    call.for_each(x.size(), key_task{x.data, keyed});
    std::sort(keyed, keyed + x.size());
    call.for_each(x.size(), position_task{keyed, call.result.data});
  }
  /// Merges runs of 1, 2, 4, ... elements.
  static void cuda(const auto& call) {
    const auto& [x] = call.operands;
    keyed_position *from = reinterpret_cast<keyed_position*>(call.workspace),
                   *to = reinterpret_cast<keyed_position*>(call.device_workspace);
    call.for_each(x.size(), key_task{x.data, from});
    for (std::int64_t width = 1; width < x.size(); width *= 2) {
      call.for_each(x.size(), merge_task{from, to, width, x.size()});
      std::swap(from, to);
    }
    call.for_each(x.size(), position_task{from, call.result.data});
  }
  static std::int64_t cuda_workspace(const auto& call) {
    return call.result.size() * static_cast<std::int64_t>(sizeof(keyed_position));
  }
};
}  // namespace ops

}  // namespace kroton
