// This header has the base of routines: operations on whole tensors that say themselves how they are computed, such as
// sorting or solving. Passes and backends treat each of them alike, so that routines can be written outside the
// library.
//
//     struct solve : routine<solve, 2, operands::floating> {       two operands of one floating-point type
//       static void host(const auto& call)                         call.operands -> call.result
//       static void cuda(const auto& call)                         the same on a GPU; optional
//       static constexpr shape result_shape(auto& table, const shape* x, const form&)
//       static constexpr void backward(auto& b)                    optional
//     };
#pragma once

#include <kroton/config.hpp>
#include <kroton/graph/backprop.hpp>
#include <kroton/graph/routine_call.hpp>

#include <concepts>
#include <utility>

namespace kroton {

namespace graph {
/// A tensor of the reference: of double, int64, uint64 or bool.
struct reference_array {
  void* data = nullptr;
  dtype type = dtype::float64;
  int rank = 0;
  std::int64_t extents[max_rank] = {};
};
/// The type that the reference computes elements of `type` in.
constexpr dtype reference_type(dtype type) {
  if (type == dtype::boolean) return type;
  return is_floating(type) ? dtype::float64 : is_unsigned(type) ? dtype::uint64 : dtype::int64;
}
struct reference_routine {
  attributes attr;
  reference_array result;
  const reference_array* operands = nullptr;
  std::byte* workspace = nullptr;
};

/// The rules of a routine for passes and the reference; each member has the name of the member of `routine`.
struct routine_rules {
  extent_code (*workspace)(extent_table&, const shape* operands, const dtype* types, const attributes&) = nullptr;
  int (*batch)(const attributes&, int operand, int axis) = nullptr;
  bool (*in_place)(int operand) = nullptr;
  bool cannot_fail = false;
  bool is_along_axis = false;  ///< it does the same along an axis of one operand, however many others there are
  /// Calls `host`; returns whether the routine takes these types.
  bool (*reference)(const reference_routine&) = nullptr;
};

/// The routine as the reference calls it: in one thread.
template <class Form, class Result, class... Operands>
struct reference_call : routine_call<Form, Result, Operands...> {
  static constexpr int threads = 1;
  template <class Task>
  void for_each(std::int64_t count, const Task& task) const {
    for (std::int64_t i = 0; i < count; ++i) task(i);
  }
};

/// Calls `Op::host` with the types of a call of the reference.
template <class Op>
class routine_reference {
 public:
  static bool run(const reference_routine& call) {
    return [&]<int... I>(std::integer_sequence<int, I...>) { return (run_with<taken.codes[I]>(call) || ...); }
    (std::make_integer_sequence<int, taken.count>{});
  }

 private:
  static constexpr dtype kinds[4] = {dtype::float64, dtype::int64, dtype::uint64, dtype::boolean};
  static constexpr dtype kind_at(int code, int operand) { return kinds[(code >> (2 * operand)) & 3]; }
  struct types_of {
    dtype of[Op::arity] = {};
    constexpr explicit types_of(int code) {
      for (int i = 0; i < Op::arity; ++i) of[i] = kind_at(code, i);
    }
  };
  static constexpr int total = 1 << (2 * Op::arity);
  struct code_list {
    int codes[total] = {};  // two bits an operand
    int count = 0;
  };
  /// The combinations of types that the routine takes.
  static constexpr code_list taken = [] {
    code_list found;
    for (int code = 0; code < total; ++code) {
      const types_of types(code);
      if (accepts(Op::takes, types.of[0]) && Op::types_agree(types.of, Op::arity)) found.codes[found.count++] = code;
    }
    return found;
  }();

  template <class T>
  static routine_tensor<T> tensor(const reference_array& x) {
    routine_tensor<T> t{static_cast<T*>(x.data), x.rank, {}};
    for (int axis = 0; axis < x.rank; ++axis) t.extents[axis] = x.extents[axis];
    return t;
  }
  template <int Code>
  static bool run_with(const reference_routine& call) {
    constexpr dtype result = reference_type(Op::result(types_of(Code).of, Op::arity));
    for (int i = 0; i < Op::arity; ++i)
      if (call.operands[i].type != kind_at(Code, i)) return false;
    if (call.result.type != result) return false;
    [&]<int... I>(std::integer_sequence<int, I...>) {
      reference_call<typename Op::form, element_t<result>, element_t<kind_at(Code, I)>...> typed;
      typed.form = Op::form::of(call.attr);
      typed.result = tensor<element_t<result>>(call.result);
      typed.operands = {tensor<const element_t<kind_at(Code, I)>>(call.operands[I])...};
      typed.workspace = call.workspace;
      Op::host(std::as_const(typed));
    }
    (std::make_integer_sequence<int, Op::arity>{});
    return true;
  }
};

template <class Op>
inline constexpr routine_rules routine_rules_of{
    [](extent_table& table, const shape* operands, const dtype* types, const attributes& attr) -> extent_code {
      return Op::workspace(table, operands, types, Op::form::of(attr));
    },
    [](const attributes& attr, int operand, int axis) -> int { return Op::batch(Op::form::of(attr), operand, axis); },
    &Op::in_place,
    Op::cannot_fail,
    Op::arity == 1 && std::is_same_v<typename Op::form, along_form>,
    &routine_reference<Op>::run};

/// The form of a routine; a struct that is none has none.
template <class Op>
struct form_of {
  using type = no_form;
};
template <class Op>
  requires requires { typename Op::form; }
struct form_of<Op> {
  using type = typename Op::form;
};

// Whether a struct has a function `cuda`, which is a template, is asked without naming that: nvcc would warn that it is
// never called. In a struct that inherits the name twice, it means nothing.
struct cuda_name {
  static void cuda();
};
template <class Op>
struct named_twice : Op, cuda_name {};
}  // namespace graph

/// The base of routines. Its members are the defaults, which members of a routine with the same names replace. It has
/// `static void host(const auto& call)`, which computes the result (see routine_call), and may have `cuda`, which puts
/// that on a stream: `call.for_each(count, task)` runs `task(i)` for each i on both, and `call.stream()` is the stream
/// of CUDA. `backward` and `name` are those of any operation.
template <class Op, int Arity, operands Accepts>
struct routine {
  static constexpr graph::op_kind kind = graph::op_kind::routine;
  static constexpr int arity = Arity;
  static constexpr operands takes = Accepts;  ///< the element types of the first operand
  /// The numbers of one use; a struct of yours has public members, `of` and a conversion, as along_form.
  using form = no_form;

  /// Whether the operands may have these element types.
  static constexpr bool types_agree(const dtype* types, int count) { return graph::all_equal(types, count); }
  /// The element type of the result.
  static constexpr dtype result(const dtype* types, int) { return types[0]; }
  /// Whether the operands have as many axes as they should.
  static constexpr bool ranks_agree(const shape*, const auto&) { return true; }
  /// The extents of the result. `table.unify(x[0][1], x[1][0], name)` demands that two are equal; `add`, `multiply` and
  /// `ceil_divide` make others of them.
  static constexpr shape result_shape(auto&, const shape* x, const auto&) { return x[0]; }
  /// How many bytes of workspace a call needs. They are planned as a temporary of this step.
  static constexpr extent_code workspace(auto&, const shape*, const dtype*, const auto&) { return 0; }
  /// Whether the result may lie in the memory of an operand that nothing else needs.
  static constexpr bool in_place(int) { return false; }
  /// Whether each slice of the result along `axis` is computed from one slice of operand `operand`: along which axis of
  /// it. -1: from all of the operand.
  static constexpr int batch(const auto&, int, int) { return -1; }
  /// Whether `host` never throws. New values of shared variables are written in place only after what may throw.
  static constexpr bool cannot_fail = false;

  static constexpr bool has_kernel(backend_kind where, dtype) {
    return where != backend_kind::cuda || !requires { &graph::named_twice<Op>::cuda; };
  }
  static constexpr const graph::routine_rules* rules() { return &graph::routine_rules_of<Op>; }
};

/// Records a routine on terms, for backward rules: `call_routine<ops::cumsum>(along_form{1, true}, b.seed())`.
template <class Op, std::same_as<term>... X>
constexpr term call_routine(const typename Op::form& form, X... x) {
  return graph::graph_layer::routine<Op>(form, x...);
}
/// Records a routine on expressions: `kt::call_routine<tridiagonal>(bands, rows)`.
template <class Op, tensor_like... X>
constexpr auto call_routine(const X&... x) {
  return layer_of_tensors<X...>::template routine<Op, typename graph::form_of<Op>::type{}>(x...);
}
/// The same with its numbers: `kt::call_routine<kth_smallest, kth_smallest::form{3}>(x)`.
template <class Op, auto Form, tensor_like... X>
constexpr auto call_routine(const X&... x) {
  return layer_of_tensors<X...>::template routine<Op, Form>(x...);
}

namespace graph {
template <class Op>
concept is_routine = std::derived_from<Op, routine<Op, Op::arity, Op::takes>> && requires {
  { Op::name } -> std::convertible_to<const char*>;
};
/// Whether a routine has a `host` for a result of type `R` and operands of types `X...`, if it says so. It is asked
/// with the types of the reference, which calls it anyway: nvcc would warn of others that nobody calls.
template <class Op, class R, class... X>
concept has_host = !Op::has_kernel(backend_kind::host, dtype_of<R>) ||
                   requires(const reference_call<typename Op::form, element_t<reference_type(dtype_of<R>)>,
                                                 element_t<reference_type(dtype_of<X>)>...>& call) {
  Op::host(call);
};
}  // namespace graph

}  // namespace kroton
