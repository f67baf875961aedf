// This header knows for which element types and on which backends an operation has kernels. Operations say it
// themselves; compiled functions are checked by it, and docs/operations.md shows it.
#pragma once

#include <kroton/arithmetic/dtype.hpp>

namespace kroton {

/// The kinds of backends: the host, CUDA devices, and the interpreter in double, which tests compare with.
enum class backend_kind : std::uint8_t { host, cuda, reference };

namespace graph {
inline constexpr int backend_count = 3;
}  // namespace graph

constexpr const char* name_of(backend_kind where) {
  constexpr const char* names[] = {"host", "cuda", "reference"};
  return names[static_cast<int>(where)];
}

/// Which element types an operation takes.
enum class operands : std::uint8_t { any, numeric, floating, integral, boolean };

namespace graph {
constexpr bool accepts(operands wanted, dtype type) {
  switch (wanted) {
    case operands::any: return true;
    case operands::numeric: return type != dtype::boolean;
    case operands::floating: return is_floating(type);
    case operands::integral: return !is_floating(type);
    default: return type == dtype::boolean;
  }
}
/// Whether operands all have one element type.
constexpr bool all_equal(const dtype* types, int count) {
  for (int i = 1; i < count; ++i)
    if (types[i] != types[0]) return false;
  return true;
}

/// The kernels of an operation: a set of element types for each backend. The element type is that of the operands
/// that are neither conditions nor indices, or else that of the result.
struct kernel_table {
  std::uint16_t types[backend_count] = {};

  constexpr bool has(backend_kind where, dtype type) const {
    return ((types[static_cast<int>(where)] >> static_cast<int>(type)) & 1) != 0;
  }
};

/// The element types for which `has` holds.
constexpr std::uint16_t types_with(auto has) {
  int types = 0;
  for (int i = 0; i < dtype_count; ++i) types |= has(static_cast<dtype>(i)) ? 1 << i : 0;
  return static_cast<std::uint16_t>(types);
}
template <operands Taken>
inline constexpr std::uint16_t types_taken = types_with([](dtype type) { return accepts(Taken, type); });

/// The kernels of an operation: it has one for every type in its `takes` (for any type, without `takes`) on every
/// backend, except where its `static constexpr bool has_kernel(backend_kind, dtype)` is false.
template <class Op>
constexpr kernel_table kernels_of() {
  operands taken = operands::any;
  std::uint16_t types = types_taken<operands::any>;
  if constexpr (requires { Op::takes; }) {
    taken = Op::takes;
    types = types_taken<Op::takes>;
  }
  if constexpr (requires { Op::has_kernel(backend_kind(), dtype()); }) {
    kernel_table narrowed;
    for (int i = 0; i < backend_count; ++i)
      narrowed.types[i] = types_with(
          [&](dtype type) { return accepts(taken, type) && Op::has_kernel(static_cast<backend_kind>(i), type); });
    return narrowed;
  } else {
    return {{types, types, types}};
  }
}
}  // namespace graph

}  // namespace kroton
