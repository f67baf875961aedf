// This header makes the type of a routine's call from the instructions of its step, and fills a call from a bound step.
//
//     step {cumsum, store float, load float}  ->  routine_type<ops::cumsum, float, float>
//     parameters {2, 4, 3, 2, 4, 3}           ->  call.result (4, 3), call.operands ((4, 3))
#pragma once

#include <kroton/graph/routine.hpp>
#include <kroton/passes/program.hpp>
#include <kroton/runtime/program/bound_step.hpp>

#include <utility>

namespace kroton::runtime {

template <class Op, class Result, class... Operands>
struct routine_type {
  using op = Op;
  using call = routine_call<typename Op::form, Result, Operands...>;

  static void fill(call& c, const bound_step& b) {
    c.form = Op::form::of(b.attr);
    const std::int64_t* parameters = b.parameters.data();
    c.result = tensor<Result>(b, 0, parameters);
    fill_operands(c, b, parameters, std::make_index_sequence<sizeof...(Operands)>{});
    if (constexpr std::size_t tensors = sizeof...(Operands) + 1; b.operands.size() > tensors)
      c.workspace = b.operands[tensors].start;
  }

 private:
  template <class T>
  static routine_tensor<T> tensor(const bound_step& b, std::size_t access, const std::int64_t*& parameters) {
    routine_tensor<T> t{reinterpret_cast<T*>(b.operands[access].start), static_cast<int>(*parameters++), {}};
    for (int axis = 0; axis < t.rank; ++axis) t.extents[axis] = *parameters++;
    return t;
  }
  template <std::size_t... I>
  static void fill_operands(call& c, const bound_step& b, const std::int64_t* parameters, std::index_sequence<I...>) {
    ((std::get<I>(c.operands) = tensor<const Operands>(b, I + 1, parameters)), ...);
  }
};

template <class Code, int Step, int... I>
constexpr auto routine_type_of(std::integer_sequence<int, I...>) {
  constexpr int first = Code::value.steps[Step].first_instruction;
  constexpr auto& instructions = Code::value.instructions;
  return type_box<routine_type<operation_struct<instructions[first].op>, element_t<instructions[first + 1].type>,
                               element_t<instructions[first + 2 + I].type>...>>{};
}
/// The routine of step `Step` of the program `Code::value`.
template <class Code, int Step>
using routine_of = typename decltype(routine_type_of<Code, Step>(
    std::make_integer_sequence<int, Code::value.steps[Step].instructions - 2>{}))::type;

}  // namespace kroton::runtime
