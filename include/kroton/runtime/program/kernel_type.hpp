// This header makes the type of a kernel from the instructions of a step, which are values.
//
// `relu(x)` of floats, instructions {load 0, constant 0, apply maximum to 0 and 1, store 1}, is
//
//     fused<step_kind::map, constant<float, 0>, load<0, float, unit, false>, apply<ops::maximum, float, false, 0, 1>,
//     ...>
#pragma once

#include <kroton/graph/operation.hpp>
#include <kroton/kernel/fused.hpp>
#include <kroton/passes/program.hpp>

#include <utility>

namespace kroton::runtime {

/// The type of instruction `I` of the program `Code::value`.
template <class Code, int I>
constexpr auto instruction_type() {
  constexpr instruction i = Code::value.instructions[I];
  using T = element_t<i.type>;
  if constexpr (i.kind == instruction_kind::constant) {
    return type_box<kernel::constant<T, i.bits()>>{};
  } else if constexpr (i.kind == instruction_kind::extent) {
    return type_box<kernel::extent<i.parameter(), T>>{};
  } else if constexpr (i.kind == instruction_kind::cast) {
    return type_box<kernel::convert<T, i.reduced, i.operand[0]>>{};
  } else if constexpr (i.kind == instruction_kind::store) {
    return type_box<kernel::store<i.access(), T, i.stride, i.reduced, i.operand[0]>>{};
  } else if constexpr (i.kind == instruction_kind::load) {
    return type_box<kernel::load<i.access(), T, i.stride, i.reduced>>{};
  } else if constexpr (i.kind == instruction_kind::index) {
    return type_box<kernel::index<i.access(), T, i.stride, i.reduced>>{};
  } else if constexpr (i.kind == instruction_kind::reduce) {
    return type_box<kernel::reduce<operation_struct<i.op>, T, i.operand[0]>>{};
  } else if constexpr (i.operand[1] < 0) {
    return type_box<kernel::apply<operation_struct<i.op>, T, i.reduced, i.operand[0]>>{};
  } else if constexpr (i.operand[2] < 0) {
    return type_box<kernel::apply<operation_struct<i.op>, T, i.reduced, i.operand[0], i.operand[1]>>{};
  } else if constexpr (i.operand[3] < 0) {
    return type_box<kernel::apply<operation_struct<i.op>, T, i.reduced, i.operand[0], i.operand[1], i.operand[2]>>{};
  } else {
    return type_box<
        kernel::apply<operation_struct<i.op>, T, i.reduced, i.operand[0], i.operand[1], i.operand[2], i.operand[3]>>{};
  }
}

template <class Code, int Step, int... I>
auto kernel_type(std::integer_sequence<int, I...>) -> kernel::fused<
    Code::value.steps[Step].kind,
    typename decltype(instruction_type<Code, Code::value.steps[Step].first_instruction + I>())::type...>;
/// The kernel of step `Step` of the program `Code::value`.
template <class Code, int Step>
using kernel_of =
    decltype(kernel_type<Code, Step>(std::make_integer_sequence<int, Code::value.steps[Step].instructions>()));

}  // namespace kroton::runtime
