// The sentences of compile-time errors. Each stands in one static_assert of one function, whose template arguments show
// the operation and its operands; it is called where the user's call is at most two steps away.
#pragma once

namespace kroton {

enum class complaint { none, extents, rank, axis, type, mixed_types, literal, elements };

/// Called where operands are refused. A function, because some compilers complain a second time of a class that holds a
/// static_assert that failed.
template <complaint What, class Operation, class... Operands>
constexpr void reject() {
  static_assert(What != complaint::extents,
                "kroton: the extents of the operands do not match (a number never equals a name; see kt::assume_shape)");
  static_assert(What != complaint::rank, "kroton: the operands do not have the number of axes that the operation takes");
  static_assert(What != complaint::axis, "kroton: there is no such axis");
  static_assert(What != complaint::type, "kroton: the operation does not take this element type; convert with kt::cast");
  static_assert(What != complaint::mixed_types,
                "kroton: the operands have different element types; nothing widens silently, convert with kt::cast");
  static_assert(What != complaint::literal, "kroton: a number with a fraction beside a tensor of integers; cast the tensor");
  static_assert(What != complaint::elements, "kroton: reshape must keep the number of elements");
}

}  // namespace kroton
