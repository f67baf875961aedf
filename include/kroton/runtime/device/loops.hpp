// This header has the argument of a fused kernel on a device: its loops, with the addresses that they move from.
//
//     nest {inner 256, 2 operands}  ->  loops with 2 addresses, which a kernel takes by value
#pragma once

#include <kroton/kernel/nest.hpp>
#include <kroton/kernel/schedule.hpp>
#include <kroton/runtime/device/parts.hpp>

#include <algorithm>

namespace kroton::runtime::on_device {

using kernel::nest;
using kernel::nest_operand;

/// The row and the column of element `i` of rows of so many: a division of 64 bits takes a GPU many times as long as
/// one of 32.
struct row_position {
  std::int64_t row, column;
  KROTON_DEVICE row_position(std::int64_t i, std::int64_t length) {
    row = (i | length) >> 32 == 0 ? static_cast<std::uint32_t>(i) / static_cast<std::uint32_t>(length) : i / length;
    column = i - row * length;
  }
};

/// The number of parameters that a kernel with this instruction has at least.
template <class Instruction>
inline constexpr int parameters_of = 0;
template <int P, class T>
inline constexpr int parameters_of<kernel::extent<P, T>> = P + 1;

/// The access of an instruction that loads or stores elements side by side; -1 for other instructions.
template <class Instruction>
inline constexpr int access_of_elements = -1;
template <int A, class T>
inline constexpr int access_of_elements<kernel::load<A, T, stride_class::unit, false>> = A;
template <int A, class T, int O>
inline constexpr int access_of_elements<kernel::store<A, T, stride_class::unit, false, O>> = A;

template <class Fused>
struct kernel_loops;

template <step_kind Kind, class... I>
struct kernel_loops<kernel::fused<Kind, I...>> {
  static constexpr int accesses = kernel::plan_of<kernel::fused<Kind, I...>>::when.accesses,
                       parameter_count = std::max({0, parameters_of<I>...});
  nest space;
  plain_array<nest_operand, accesses + 1> operands;
  plain_array<std::int64_t, parameter_count + 1> parameters;
  /// The alignment, up to 16 bytes, of the starts of all lines whose elements are loaded or stored side by side.
  int alignment = 16;

  explicit kernel_loops(const nest& n) : space(n) {
    for (int a = 0; a < accesses; ++a) operands[a] = n.operands[a];
    if constexpr (parameter_count > 0)
      for (int p = 0; p < parameter_count; ++p) parameters[p] = n.parameters[p];
    (
        [&] {
          if constexpr (access_of_elements<I> >= 0)
            while (!is_aligned(operands[access_of_elements<I>])) alignment /= 2;
        }(),
        ...);
  }

  /// The addresses at which the accesses begin on the innermost axis.
  struct cursor {
    plain_array<std::byte*, accesses + 1> at;
  };
  KROTON_DEVICE cursor row(std::int64_t row) const {
    cursor c;
    for (int a = 0; a < accesses; ++a) c.at[a] = nest::moved(operands[a].start, space.outer_offset(operands[a], row));
    return c;
  }
  /// The reduced line `m` of `row`.
  KROTON_DEVICE cursor line(const cursor& row, std::int64_t m) const {
    cursor c;
    for (int a = 0; a < accesses; ++a) c.at[a] = nest::moved(row.at[a], space.middle_offset(operands[a], m));
    return c;
  }

 private:
  bool is_aligned(const nest_operand& o) const {
    auto every = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(o.start));
    for (int axis = 0; axis < space.outer_rank; ++axis) every |= o.outer[axis];
    for (int axis = 0; axis < space.middle_rank; ++axis) every |= o.middle[axis];
    return every % alignment == 0;
  }
};

}  // namespace kroton::runtime::on_device
