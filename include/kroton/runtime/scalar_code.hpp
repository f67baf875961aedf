// This header finds the functions of which every value is a scalar, and makes their programs types.
#pragma once

#include <kroton/kernel/scalar_program.hpp>
#include <kroton/runtime/program/kernel_type.hpp>

namespace kroton::runtime {

/// The scalars of the program `Code::value`.
template <class Code>
class scalar_code {
  static constexpr const auto& program = Code::value;
  static constexpr program_size size = program.size;

  static constexpr bool are_scalars(list_view<buffer> buffers) {
    for (const buffer& b : buffers)
      if (b.kind == buffer_kind::shared || b.elements != 1) return false;
    return true;
  }
  static constexpr bool are_scalars(list_view<step> steps) {
    for (const step& s : steps)
      if (!is_scalar(s)) return false;
    return true;
  }
  static constexpr bool is_scalar(const step& s) {
    if (s.kind != step_kind::map || s.space.rank > 0 || s.segments > 1) return false;
    for (int i = s.first_instruction; i < s.first_instruction + s.instructions; ++i) {
      const instruction_kind kind = program.instructions[i].kind;
      if (kind == instruction_kind::index || kind == instruction_kind::reduce || kind == instruction_kind::extent)
        return false;
    }
    return true;
  }

 public:
  /// Whether all values are scalars that depend on arguments alone.
  static constexpr bool is_possible = has_numbers_alone(size) &&
                                      are_scalars(list_view(program.buffers, size.buffers)) &&
                                      are_scalars(list_view(program.steps, size.steps));

 private:
  static constexpr int number_of(buffer_kind kind, int index) {
    int found = 0;
    while (program.buffers[found].kind != kind || program.buffers[found].index != index) ++found;
    return found;
  }
  static constexpr int count_of(buffer_kind kind) {
    int count = 0;
    for (int i = 0; i < size.buffers; ++i) count += program.buffers[i].kind == kind;
    return count;
  }
  template <buffer_kind Kind, int... I>
  static std::integer_sequence<int, number_of(Kind, I)...> numbers(std::integer_sequence<int, I...>);
  template <buffer_kind Kind>
  using numbers_of = decltype(numbers<Kind>(std::make_integer_sequence<int, count_of(Kind)>()));
  template <int... B>
  static kernel::scalar_buffers<element_t<program.buffers[B].type>...> buffers(std::integer_sequence<int, B...>);
  template <int S, int... A>
  static kernel::scalar_step<kernel_of<Code, S>, program.accesses[program.steps[S].first_access + A].buffer...> step_of(
      std::integer_sequence<int, A...>);
  template <int... S>
  static auto steps(std::integer_sequence<int, S...>)
      -> kernel::scalar_program<decltype(buffers(std::make_integer_sequence<int, size.buffers>())),
                                numbers_of<buffer_kind::input>, numbers_of<buffer_kind::output>,
                                decltype(step_of<S>(std::make_integer_sequence<int, program.steps[S].accesses>()))...>;

 public:
  using type = decltype(steps(std::make_integer_sequence<int, size.steps>()));
};

}  // namespace kroton::runtime
