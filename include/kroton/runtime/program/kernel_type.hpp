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

/// The instructions of a step, in the same order for all steps that compute the same. Constants come first, each of
/// them once, and the operands of commutative operations have the order of their numbers.
template <int Count>
struct canonical_instructions {
  plain_array<instruction, Count + 1> list = {};
  int size = 0;

  constexpr explicit canonical_instructions(const instruction* first) {
    for (int i = 0; i < Count; ++i)
      if (first[i].kind == instruction_kind::constant) insert_constant(first[i]);
    plain_array<int, Count + 1> now = {};  // the number of each instruction in `list`
    for (int i = 0; i < Count; ++i) {
      if (first[i].kind == instruction_kind::constant) {
        while (!(list[now[i]] == first[i])) ++now[i];
      } else {
        now[i] = size;
        list[size++] = with_operands(first[i], now);
      }
    }
  }

 private:
  static constexpr bool before(const instruction& x, const instruction& y) {
    return x.type != y.type ? x.type < y.type : x.payload < y.payload;
  }
  constexpr void insert_constant(const instruction& c) {
    int to = 0;
    while (to < size && before(list[to], c)) ++to;
    if (to < size && list[to] == c) return;
    for (int i = size++; i > to; --i) list[i] = list[i - 1];
    list[to] = c;
  }
  static constexpr instruction with_operands(instruction x, const int* now) {
    for (int& operand : x.operand)
      if (operand >= 0) operand = now[operand];
    if (x.op->commutative && x.operand[0] > x.operand[1] && x.operand[1] >= 0) std::swap(x.operand[0], x.operand[1]);
    return x;
  }
};

/// The type of instruction `I` of `Code::value`.
template <class Code, int I>
constexpr auto instruction_type() {
  constexpr instruction i = Code::value.list[I];
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
  } else {
    return type_box<kernel::apply<operation_struct<i.op>, T, i.reduced, i.operand[0], i.operand[1], i.operand[2]>>{};
  }
}

/// The instructions of step `Step` of the program `Code::value`.
template <class Code, int Step>
struct step_code {
  static constexpr step_kind kind = Code::value.steps[Step].kind;
  static constexpr canonical_instructions<Code::value.steps[Step].instructions> value{
      Code::value.instructions + Code::value.steps[Step].first_instruction};
};
template <class Code, int... I>
auto kernel_type(std::integer_sequence<int, I...>)
    -> kernel::fused<Code::kind, typename decltype(instruction_type<Code, I>())::type...>;
/// The kernel of step `Step` of the program `Code::value`.
template <class Code, int Step>
using kernel_of =
    decltype(kernel_type<step_code<Code, Step>>(std::make_integer_sequence<int, step_code<Code, Step>::value.size>()));

}  // namespace kroton::runtime
