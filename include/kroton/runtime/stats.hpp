// This header has facts about a compiled function as constants: nodes, kernels, launches, bytes, operations, peak
// memory.
#pragma once

#include <kroton/runtime/function.hpp>
#include <kroton/runtime/symbols.hpp>

namespace kroton::runtime {

/// Facts about a compiled function; every member is a constant expression.
template <class Function, class Backend = KROTON_BACKEND>
struct function_stats {
  using code = typename compiled_function<Function, Backend>::code;
  using source = typename compiled_function<Function, Backend>::source;
  using symbols = symbol_values<code>;
  static constexpr bool is_compiled = has_passed<typename prepared<captured<Function>, Backend>::type>;
  /// The mistake in the values of these dimensions.
  template <class... Tag>
  static constexpr complaint problem = (function_problem<Function> == complaint::none) && is_compiled
                                           ? symbols::template problem<Tag...>
                                           : complaint::said;
  static constexpr const auto& program = code::value;

  /// Nodes as captured, and after the passes.
  static constexpr int nodes_before = captured<Function>::size.nodes;
  static constexpr int nodes_after = source::size.nodes;
  /// Kernels started by a call, matrix products included.
  static constexpr int launches = [] {
    int count = 0;
    for (int s = 0; s < program.size.steps; ++s) count += !program.steps[s].is_done;
    return count;
  }();
  /// Matrix products.
  static constexpr int gemms = [] {
    int count = 0;
    for (int s = 0; s < program.size.steps; ++s) count += program.steps[s].kind == step_kind::dot;
    return count;
  }();
  /// The number of different fused kernels; the compiler generates code for each of them.
  static constexpr int kernels = distinct_kernels<program.size.steps>(program.instructions, program.steps).fused;

  /// Bytes that the kernels read and write, each operand counted once a kernel: `bytes(batch(128))`.
  template <class... Tag>
  static constexpr std::int64_t bytes(extent_value_of<Tag>... given) {
    reject<problem<Tag...>, Function, Tag...>();
    const symbols value(given...);
    std::int64_t total = 0;
    for (int i = 0; i < program.size.steps; ++i) {
      const step& s = program.steps[i];
      if (s.is_done) continue;
      for (int a = s.first_access; a < s.first_access + s.accesses; ++a) {
        if (program.accesses[a].buffer < 0) continue;
        const buffer& b = program.buffers[program.accesses[a].buffer];
        std::int64_t touched = 1;
        if (!is_fused(s.kind)) touched = value(b.elements);
        else if (s.segments > 1)
          touched = program.accesses[a].stride[0] == 0 ? 1 : value(elements_of_segment(s, a - s.first_access));
        else
          for (int axis = 0; axis < s.space.rank; ++axis)
            if (program.accesses[a].stride[axis] != 0) touched *= value(s.space[axis]);
        total += touched * size_of(b.type);
      }
    }
    return total;
  }
  /// The number of elements of the segment of a joined step that has access `a`; these numbers are its last parameters.
  static constexpr extent_code elements_of_segment(const step& s, int a) {
    return program.parameters[s.first_parameter + s.parameters - s.segments + a / accesses_of_segment(s)];
  }
  /// Floating-point operations; a transcendental function counts as about ten: `flops(batch(128))`.
  template <class... Tag>
  static constexpr std::int64_t flops(extent_value_of<Tag>... given) {
    reject<problem<Tag...>, Function, Tag...>();
    const symbols value(given...);
    std::int64_t total = 0;
    for (int i = 0; i < program.size.steps; ++i) {
      const step& s = program.steps[i];
      if (s.is_done) continue;
      std::int64_t space = 1, kept = 1;
      for (int l = 0; l < program.size.loops; ++l) {
        const loop_of_steps& loop = program.loops[l];
        if (loop.first <= i && i < loop.past) space *= value(loop.iterations), kept *= value(loop.iterations);
      }
      for (int axis = 0; axis < s.space.rank; ++axis) {
        space *= value(s.space[axis]);
        if (!is_reduced(s, axis)) kept *= value(s.space[axis]);
      }
      if (s.kind == step_kind::dot) {
        total += 2 * space * value(program.parameters[s.first_parameter]);
        continue;
      }
      for (int j = s.first_instruction; j < s.first_instruction + s.instructions; ++j) {
        const instruction& x = program.instructions[j];
        const bool each = x.kind == instruction_kind::reduce || !x.reduced;
        total += x.op->cost * (each ? space : kept);
      }
    }
    return total;
  }
  /// Bytes of temporaries that a call needs, exactly: `peak_bytes(batch(128))`.
  template <class... Tag>
  static constexpr std::int64_t peak_bytes(extent_value_of<Tag>... given) {
    reject<problem<Tag...>, Function, Tag...>();
    return arena_bytes<code>(given...);
  }
};

/// Facts about a model's member function: `static_assert(kt::stats<&digits::train>().launches <= 12);`
template <auto Member, class Scope = scope_of<Member>>
constexpr function_stats<member_function<Member, Scope>> stats() {
  using function = member_function<Member, Scope>;
  using found = diagnosis_of<captured<function>>;
  if constexpr (function_problem<function> == complaint::not_constant) cannot_evaluate<function>();
  else reject<function_problem<function>, function>();
  diagnosed<found::what>(typename found::details());
  static_assert(function_stats<function>::is_compiled, KROTON_LIMIT_REACHED);
  return {};
}
/// Facts about a function made from a lambda.
template <class Function, class Backend>
constexpr function_stats<Function, Backend> stats(const compiled_function<Function, Backend>&) {
  return {};
}

/// Refuses an object in angle brackets.
template <auto& Object>
constexpr auto stats() {
  reject<complaint::object_in_brackets, decltype(Object)>();
  return stats(Object);
}

/// Bytes of temporaries of a model's function: `static_assert(kt::peak_bytes<&digits::train>(batch(256)) < 64_MiB);`
template <auto Member, class Scope = scope_of<Member>, class... Tag>
constexpr std::int64_t peak_bytes(extent_value_of<Tag>... given) {
  return stats<Member, Scope>().peak_bytes(given...);
}
/// Refuses an object in angle brackets.
template <auto& Object, class... Tag>
constexpr std::int64_t peak_bytes(extent_value_of<Tag>...) {
  reject<complaint::object_in_brackets, decltype(Object)>();
  return 0;
}

}  // namespace kroton::runtime

namespace kroton {
using runtime::function_stats;
using runtime::peak_bytes;
using runtime::stats;
}  // namespace kroton
