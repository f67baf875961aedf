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
  /// Byte offset of operand `o` at outer index `row`.
  KROTON_HD std::int64_t outer_offset(const nest_operand& o, std::int64_t row) const {
    return offset(o.outer, outer, outer_rank, row);
  }
  KROTON_HD std::int64_t middle_offset(const nest_operand& o, std::int64_t m) const {
    return offset(o.middle, middle, middle_rank, m);
  }

 private:
  static KROTON_HD std::int64_t offset(const std::int64_t* strides, const std::int64_t* extents, int rank,
                                       std::int64_t index) {
    if (rank == 0 || index == 0) return 0;
    std::int64_t at = 0;
#ifdef __CUDA_ARCH__
#pragma unroll 1  // several axes at a time take registers that a thread needs afterwards, and three times the code
#endif
    for (int axis = rank - 1; axis > 0; --axis) {
      at += index % extents[axis] * strides[axis];
      index /= extents[axis];
    }
    return at + index * strides[0];
  }
};

}  // namespace kroton::kernel
