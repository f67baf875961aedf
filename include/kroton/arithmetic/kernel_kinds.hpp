// This header lists the kinds of steps and of instructions. Programs, which the passes make, and the types of kernels
// share them.
#pragma once

#include <cstdint>

namespace kroton::arithmetic {

/// The kind of a step of a program. The first four are fused kernels, which differ in their loops.
enum class step_kind : std::uint8_t { map, over_rows, over_columns, full, dot, take, scatter_add, routine, transfer };

/// Whether a step runs a fused kernel.
constexpr bool is_fused(step_kind kind) {
  return kind == step_kind::map || kind == step_kind::over_rows || kind == step_kind::over_columns ||
         kind == step_kind::full;
}

/// The kind of an instruction of a kernel.
enum class instruction_kind : std::uint8_t { load, index, constant, extent, apply, cast, reduce, store };

/// The most operands of an instruction.
inline constexpr int most_operands = 4;

/// How an access moves along the innermost axis.
enum class stride_class : std::uint8_t { zero, unit, strided };

}  // namespace kroton::arithmetic
