// This header runs programs whose extents are all numbers as straight code: steps follow one another without an
// executor, temporaries lie on the stack, and the compiler can inline all of it into a loop of the caller.
//
//     x' = A x + b of 6 doubles  ->  a product in registers, a sum, a store; no allocation, no table
#pragma once

#include <kroton/passes/memory.hpp>
#include <kroton/runtime/host/straight_kernel.hpp>
#include <kroton/runtime/host/straight_product.hpp>
#include <kroton/runtime/program/binding.hpp>
#include <kroton/runtime/program/kernel_type.hpp>

#include <cstring>

namespace kroton::runtime::on_host {

/// What straight code is limited to: larger programs gain from threads, and from memory that is not on the stack.
inline constexpr std::int64_t most_straight_bytes = 16384, most_straight_elements = 32768,
                              most_straight_products = 1 << 20;

/// What is so little that it becomes a part of the function that calls it.
inline constexpr int most_inlined_instructions = 12;
inline constexpr std::int64_t most_inlined_elements = 64;

/// The straight code of the program `Code::value`.
template <class Code>
class straight_code {
  static constexpr const auto& program = Code::value;
  static constexpr program_size size = program.size;

  /// Where temporaries lie on the stack.
  struct stack_plan {
    plain_array<std::int64_t, size.buffers + 1> offsets = {};
    std::int64_t bytes = 0;
  };
  static constexpr stack_plan stack = [] {
    stack_plan s;
    plain_array<std::int64_t, size.buffers + 1> bytes = {};
    const int count = has_numbers_alone(size) ? size.buffers : 0;
    for (int i = 0; i < count; ++i)
      bytes[i] = product_of_extents(program.buffers[i].elements, size_of(program.buffers[i].type));
    s.bytes = plan_arena(program.buffers, count, at_home, bytes, s.offsets);
    return s;
  }();

  static constexpr std::int64_t elements_of(const step& s) {
    std::int64_t count = 1;
    for (int axis = 0; axis < s.space.rank; ++axis) count = product_of_extents(count, s.space[axis]);
    return count;
  }
  static constexpr fixed_extents product_extents(const step& s) {
    return straight_extents(s, program.accesses + s.first_access, program.parameters[s.first_parameter]);
  }
  static constexpr bool is_straight(list_view<buffer> buffers) {
    for (const buffer& b : buffers)
      if (b.kind == buffer_kind::shared || b.place != at_home || b.is_placed) return false;
    return true;
  }
  static constexpr bool is_straight(list_view<step> steps) {
    for (const step& s : steps)
      if (!is_straight(s)) return false;
    return true;
  }
  static constexpr bool is_straight(const step& s) {
    if (s.segments > 1) return false;
    const std::int64_t elements = elements_of(s);
    if (s.kind == step_kind::dot)
      return product_extents(s).m > 0 && product_of_extents(elements, product_extents(s).k) <= most_straight_products;
    return (is_fused(s.kind) || s.kind == step_kind::transfer) && elements <= most_straight_elements;
  }

 public:
  /// Whether there is such code: all extents are numbers, all steps are fused kernels, small products and copies, and
  /// there is so little to do that one thread does it best.
  static constexpr bool is_possible =
      has_numbers_alone(size) && is_straight(list_view(program.buffers, size.buffers)) &&
      is_straight(list_view(program.steps, size.steps)) && stack.bytes <= most_straight_bytes;
  /// Runs all steps. `inputs`, `outputs`: the addresses of arguments and outputs. A program of next to nothing becomes
  /// a part of the caller, whose loops then load its constants once; others are compiled once for all callers.
  KROTON_INLINE static void run(const std::byte* const* inputs, std::byte* const* outputs) {
    if constexpr (size.steps <= 1 && size.instructions <= most_inlined_instructions &&
                  elements_of(program.steps[0]) <= most_inlined_elements)
      run_here(inputs, outputs);
    else run_apart(inputs, outputs);
  }
  [[gnu::noinline]] static void run_apart(const std::byte* const* inputs, std::byte* const* outputs) {
    run_here(inputs, outputs);
  }

 private:
  KROTON_INLINE static void run_here(const std::byte* const* inputs, std::byte* const* outputs) {
    alignas(buffer_alignment) std::byte temporaries[stack.bytes + 1];
    run_steps({inputs, outputs, temporaries}, std::make_integer_sequence<int, size.steps>());
  }
  struct addresses {
    const std::byte* const* inputs;
    std::byte* const* outputs;
    std::byte* temporaries;
  };
  template <int Buffer>
  KROTON_INLINE static std::byte* address(const addresses& at) {
    constexpr buffer b = program.buffers[Buffer];
    if constexpr (b.lies_in >= 0) return address<b.lies_in>(at);
    else if constexpr (b.kind == buffer_kind::input) return const_cast<std::byte*>(at.inputs[b.index]);
    else if constexpr (b.kind == buffer_kind::output) return at.outputs[b.index];
    else return at.temporaries + stack.offsets[Buffer];
  }

  /// A bound step, without addresses.
  template <int S>
  struct bound_step {
    static constexpr step what = program.steps[S];
    nest loops;
    plain_array<nest_operand, what.accesses + 1> operands = {};
    plain_array<int, what.accesses + 1> buffers = {};
    plain_array<std::int64_t, what.accesses + 1> starts = {};
    plain_array<std::int64_t, what.parameters + 1> parameters = {};
  };
  template <int S>
  struct bound {
    static constexpr step what = program.steps[S];
    static constexpr bound_step<S> value = [] {
      bound_step<S> b;
      step_binder(call_plan_of<Code>, nullptr).bind_operands(program.steps[S], b);
      return b;
    }();
  };

  template <int... S>
  KROTON_INLINE static void run_steps(const addresses& at, std::integer_sequence<int, S...>) {
    (run_step<S>(at, std::make_integer_sequence<int, program.steps[S].accesses>()), ...);
  }
  template <int S, int... A>
  KROTON_INLINE static void run_step(const addresses& at, std::integer_sequence<int, A...>) {
    constexpr step s = program.steps[S];
    constexpr const auto& b = bound<S>::value;
    if constexpr (!s.is_done) {
      nest_operand operands[] = {b.operands[A]..., {}};
      ((operands[A].start = start<b.buffers[A]>(at, b.starts[A])), ...);
      if constexpr (is_fused(s.kind)) straight_kernel<kernel_of<Code, S>, bound<S>>::run(operands);
      else if constexpr (s.kind == step_kind::dot)
        straight_product<element_t<s.type>, product_extents(s), bound<S>>::run(operands);
      else
        std::memcpy(operands[1].start, operands[0].start, static_cast<std::size_t>(b.parameters[0] * size_of(s.type)));
    }
  }
  template <int Buffer>
  KROTON_INLINE static std::byte* start(const addresses& at, std::int64_t offset) {
    if constexpr (Buffer < 0) return nest::moved(nullptr, offset);  // an index, whose address is its value
    else return nest::moved(address<Buffer>(at), offset);
  }
};

}  // namespace kroton::runtime::on_host
