// This header has what the graph knows of an operation, as one constant for each operation struct, and the way back
// from it to the type of the struct.
//
//     op<ops::add>  ->  {name "add", kind map, id, backward}  ->  operation_struct<op<ops::add>> is ops::add
#pragma once

#include <kroton/graph/attributes.hpp>
#include <kroton/graph/hash.hpp>
#include <kroton/graph/kernel_table.hpp>

namespace kroton::graph {

class backprop;
struct routine_rules;

/// The kind of an operation, by its effect on iteration spaces. Passes decide by the kind and rarely by the operation.
enum class op_kind : std::uint8_t {
  input,
  shared,
  constant,
  extent,  // sources
  iota,    // index along an axis
  map,     // elementwise with broadcasting
  reduce,  // over a set of axes
  reshape,
  transpose,
  broadcast,
  slice,  // other views of the same elements
  embed,
  concatenate,  // writes into part of a larger tensor
  dot,          // batched matrix product
  take,
  scatter_add,      // rows by index
  routine,          // computed by functions of its own, see routine.hpp
  transfer,         // to another place
  custom_gradient,  // the first operand, with another gradient; only in captured graphs
  loop_row,
  loop_carried,  // what an iteration of a loop reads, see ops/loop.hpp
  loop_rows,
  loop_last  // what a loop makes
};

/// Whether an operation only says how to look at the elements of its operand.
constexpr bool is_view(op_kind kind) {
  return kind == op_kind::reshape || kind == op_kind::transpose || kind == op_kind::broadcast ||
         kind == op_kind::slice || kind == op_kind::loop_row;
}
/// Whether an operation has what the iterations of a loop made.
constexpr bool is_loop_result(op_kind kind) { return kind == op_kind::loop_rows || kind == op_kind::loop_last; }
/// Whether an operation is one step of its own, which reads and writes whole tensors and is fused with nothing.
constexpr bool is_whole_tensor(op_kind kind) {
  return kind == op_kind::embed || kind == op_kind::concatenate || kind == op_kind::dot || kind == op_kind::take ||
         kind == op_kind::scatter_add || kind == op_kind::routine || kind == op_kind::transfer || is_loop_result(kind);
}

/// The identity of an operation: operations are compared by it, never by the addresses of their descriptions.
enum class operation_id : std::uint64_t {};
template <class Op>
inline constexpr operation_id id_of{hash_of_type<Op>()};

struct operation {
  const char* name = "";
  operation_id id{};
  op_kind kind{};
  int cost = 0;  ///< floating-point operations per element, about
  bool commutative = false;
  bool foldable = false;            ///< `reference` is a constant expression, so constants can be folded
  bool foldable_integers = false;   ///< `integer_reference` is one, as it is wherever `reference` is
  bool identity_value = false;      ///< the value is the operand's; only the derivative differs
  bool piecewise_constant = false;  ///< the derivative is zero wherever there is one, and taken as zero elsewhere
  bool draws = false;               ///< random bits, which are drawn again wherever they are used
  bool linear = false;              ///< slopes are finite numbers: a gradient of zero stays zero
  bool differentiable = false;      ///< there is `backward`
  void (*backward)(backprop&) = nullptr;
  double (*reference)(dtype, const double* operand, int count) = nullptr;  ///< elementwise value in double, or none
  std::int64_t (*integer_reference)(dtype, const std::int64_t* operand,
                                    int count) = nullptr;  ///< that of integers, exactly
  double (*reference_of_bits)(std::uint64_t bits, const double* parameters) =
      nullptr;  ///< that of 64 random bits, the first operand, instead
  kernel_table kernels{};
  const routine_rules* routine = nullptr;  ///< of a routine alone
};

/// The description that nodes without an operation have.
inline constexpr operation no_operation{};

template <class Op>
constexpr operation describe() {
  operation d{Op::name, id_of<Op>, Op::kind};
  if constexpr (requires { Op::cost; }) d.cost = Op::cost;
  if constexpr (requires { Op::commutative; }) d.commutative = Op::commutative;
  if constexpr (requires { Op::foldable; }) d.foldable = d.foldable_integers = Op::foldable;
  if constexpr (requires { Op::foldable_integers; }) d.foldable_integers = Op::foldable_integers;
  if constexpr (requires { Op::identity_value; }) d.identity_value = Op::identity_value;
  if constexpr (requires { Op::piecewise_constant; }) d.piecewise_constant = Op::piecewise_constant;
  if constexpr (requires { Op::draws; }) d.draws = Op::draws;
  if constexpr (requires { Op::linear; }) d.linear = Op::linear;
  if constexpr (requires(backprop & b) { Op::template backward<backprop>(b); }) {
    d.differentiable = true;
    d.backward = &Op::template backward<backprop>;
  }
  if constexpr (requires { &Op::reference; }) d.reference = &Op::reference;
  if constexpr (requires { &Op::integer_reference; }) d.integer_reference = &Op::integer_reference;
  if constexpr (requires { &Op::reference_of_bits; }) d.reference_of_bits = &Op::reference_of_bits;
  d.kernels = kernels_of<Op>();
  if constexpr (Op::kind == op_kind::routine) d.routine = Op::rules();
  return d;
}

template <class Op>
inline constexpr operation description_of = describe<Op>();

// From a description back to the operation's struct, for lowering constants to types. The friend is declared once per
// description and defined by `op_registered`, which naming `op<Op>` instantiates; no list of all operations is needed,
// so that operations can be written outside the library.
template <class T>
struct type_box {
  using type = T;
};
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-template-friend"
#endif
#ifdef __CUDACC__
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1301
#endif
template <const operation* Description>
struct op_key {
  friend constexpr auto find_operation(op_key);
};
#ifdef __CUDACC__
#pragma nv_diagnostic pop
#endif
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
template <operation_id Id>
struct op_identity {};
template <class Op>
struct op_registered {
  friend constexpr auto find_operation(op_key<&description_of<Op>>) { return type_box<Op>{}; }
  friend constexpr void claim(op_identity<id_of<Op>>) {
  }  // redefined? the compiler spells two operations in the same way
  static constexpr const operation* description = &description_of<Op>;
};

/// An operation in a graph.
template <class Op>
inline constexpr const operation* op = op_registered<Op>::description;

/// The struct of the operation that `Description` describes.
template <const operation* Description>
using operation_struct = typename decltype(find_operation(op_key<Description>{}))::type;

}  // namespace kroton::graph
