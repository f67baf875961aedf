// Canonical kernels: a flat list of instructions as types. Equal lists are one type, compiled once, on every backend.
#pragma once

#include <kroton/graph/operation.hpp>
#include <kroton/passes/program.hpp>

namespace kroton::kernel {

template <int Access, class T, stride_class Stride, bool Reduced>
struct load {};
/// The address of the access as a number: an index along an axis.
template <int Access, class T, stride_class Stride, bool Reduced>
struct index {};
template <class T, std::int64_t Bits>
struct constant {};
template <int Parameter, class T>
struct extent {};
template <class Op, class T, bool Reduced, int... Operands>
struct apply {};
template <class T, bool Reduced, int Operand>
struct convert {};
template <class Op, class T, int Operand>
struct reduce {};
template <int Access, class T, stride_class Stride, bool Reduced, int Operand>
struct store {};

/// `Kind`: map, rows, columns or full.
template <step_kind Kind, class... Instructions>
struct fused {};

/// The type of instruction `I` of the program `Code::value`.
template <class Code, int I>
constexpr auto instruction_type() {
  constexpr instruction i = Code::value.instructions[I];
  using T = element_t<i.type>;
  if constexpr (i.kind == instruction_kind::constant) {
    return type_box<constant<T, i.value>>{};
  } else if constexpr (i.kind == instruction_kind::extent) {
    return type_box<extent<static_cast<int>(i.value), T>>{};
  } else if constexpr (i.kind == instruction_kind::cast) {
    return type_box<convert<T, i.reduced, i.operand[0]>>{};
  } else if constexpr (i.kind == instruction_kind::store) {
    return type_box<store<static_cast<int>(i.value), T, i.stride, i.reduced, i.operand[0]>>{};
  } else if constexpr (i.kind == instruction_kind::load) {
    return type_box<load<static_cast<int>(i.value), T, i.stride, i.reduced>>{};
  } else if constexpr (i.kind == instruction_kind::index) {
    return type_box<index<static_cast<int>(i.value), T, i.stride, i.reduced>>{};
  } else if constexpr (i.kind == instruction_kind::reduce) {
    return type_box<reduce<operation_struct<i.op>, T, i.operand[0]>>{};
  } else if constexpr (i.operand[1] < 0) {
    return type_box<apply<operation_struct<i.op>, T, i.reduced, i.operand[0]>>{};
  } else if constexpr (i.operand[2] < 0) {
    return type_box<apply<operation_struct<i.op>, T, i.reduced, i.operand[0], i.operand[1]>>{};
  } else {
    return type_box<apply<operation_struct<i.op>, T, i.reduced, i.operand[0], i.operand[1], i.operand[2]>>{};
  }
}

template <class Code, int Step, class Indices>
struct kernel_of_step;
template <class Code, int Step, int... I>
struct kernel_of_step<Code, Step, std::integer_sequence<int, I...>> {
  using type =
      fused<Code::value.steps[Step].kind, typename decltype(instruction_type<Code, Code::value.steps[Step].first_instruction + I>())::type...>;
};
/// The kernel of step `Step` of the program `Code::value`.
template <class Code, int Step>
using kernel_of = typename kernel_of_step<Code, Step, std::make_integer_sequence<int, Code::value.steps[Step].instructions>>::type;

}  // namespace kroton::kernel
