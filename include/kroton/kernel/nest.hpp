// This header has the loops of a fused kernel with addresses and strides in bytes: outer axes, reduced middle axes, and
// one innermost axis.
//
//     sum(x, axis<1, 2>) of x (5, 6, 7), floats  ->  outer {5}, middle {6}, inner 7; x moves by 168, 28 and 4 bytes
#pragma once

#include <kroton/config.hpp>

#include <cstddef>
#include <cstdint>

namespace kroton::kernel {

/// One operand of a kernel: where it starts, and its strides in bytes (in elements for an index).
struct nest_operand {
  std::byte* start = nullptr;
  std::int64_t outer[max_rank] = {};
  std::int64_t middle[max_rank] = {};
  std::int64_t inner = 0;
};

struct nest {
  int outer_rank = 0, middle_rank = 0;
  std::int64_t outer[max_rank] = {};  ///< extents, the last moves fastest
  std::int64_t middle[max_rank] = {};
  std::int64_t inner = 1;
  std::int64_t rows = 1, middles = 1;  ///< product of the outer extents, product of the middle extents
  nest_operand* operands = nullptr;
  const std::int64_t* parameters = nullptr;

  /// The address `offset` bytes after `from`. For an index, both are numbers and not addresses, so that pointer
  /// arithmetic is not defined for them.
  static KROTON_HD std::byte* moved(std::byte* from, std::int64_t offset) {
#ifdef __CUDA_ARCH__
    return from + offset;  // pointer arithmetic, so that the compiler sees in which memory of the device the address is
#else
    return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(from) + static_cast<std::uintptr_t>(offset));
#endif
  }
  /// Calls `move(axis, position)` for the outer axes of index `row`, or for the middle axes of index `m`. A division
  /// for each axis takes longer than to move all operands.
  template <class Move>
  KROTON_HD void each_outer(std::int64_t row, const Move& move) const {
    each_position(outer, outer_rank, row, move);
  }
  template <class Move>
  KROTON_HD void each_middle(std::int64_t m, const Move& move) const {
    each_position(middle, middle_rank, m, move);
  }

  /// How far operand `o` moves, for a thread of a device: with all operands in one walk it needs more registers.
  KROTON_HD std::int64_t outer_offset(const nest_operand& o, std::int64_t row) const {
    std::int64_t at = 0;
    each_outer(row, [&](int axis, std::int64_t i) { at += i * o.outer[axis]; });
    return at;
  }
  KROTON_HD std::int64_t middle_offset(const nest_operand& o, std::int64_t m) const {
    std::int64_t at = 0;
    each_middle(m, [&](int axis, std::int64_t i) { at += i * o.middle[axis]; });
    return at;
  }

 private:
  template <class Move>
  static KROTON_HD void each_position(const std::int64_t* extents, int rank, std::int64_t index, const Move& move) {
    if (rank == 0 || index == 0) return;
#ifdef __CUDA_ARCH__
#pragma unroll 1  // several axes at a time take registers that a thread needs afterwards
#endif
    for (int axis = rank - 1; axis > 0; --axis) {
      const std::int64_t whole = index / extents[axis];
      move(axis, index - whole * extents[axis]);
      index = whole;
    }
    move(0, index);
  }
};

}  // namespace kroton::kernel
