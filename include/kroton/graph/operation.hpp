// What the graph knows of an operation: one constant description per operation struct, and the way back to its type.
#pragma once

#include <kroton/graph/dtype.hpp>
#include <kroton/graph/shape.hpp>

#include <cstdint>

namespace kroton {

class backprop;

/// What an operation does to iteration spaces; the passes decide by this and rarely by the operation itself.
enum class op_kind : std::uint8_t {
  input, shared, constant, extent,  // sources
  iota,                             // index along an axis
  map,                              // elementwise with broadcasting
  reduce,                           // over a set of axes
  reshape, transpose, broadcast, slice,  // other views of the same elements
  embed, concatenate,               // writes into part of a larger tensor
  dot,                              // batched matrix product
  take, scatter_add                 // rows by index
};

/// Static parameters of a node; their meaning belongs to the operation (see each header in graph/ops).
struct attributes {
  std::int64_t a = 0, b = 0, c = 0;
  friend constexpr bool operator==(const attributes&, const attributes&) = default;
};

/// Which element types an operation takes.
enum class operands : std::uint8_t { any, numeric, floating, integral, boolean };

struct operation {
  const char* name;
  std::uint32_t hash;  ///< of the name: addresses cannot be hashed in a constant expression
  op_kind kind;
  int cost;            ///< floating-point operations per element, about
  bool commutative;
  bool foldable;        ///< `reference` is a constant expression, so constants can be folded
  bool identity_value;  ///< the value is the operand's; only the derivative differs
  bool piecewise_constant;  ///< the derivative is zero wherever there is one, and taken as zero elsewhere
  void (*backward)(backprop&);                                   ///< nullptr: no derivative
  double (*reference)(dtype, const double* operand, int count);  ///< elementwise value in double, nullptr otherwise
};

constexpr std::uint32_t hash_text(const char* text) {
  std::uint32_t h = 2166136261u;
  for (; *text; ++text) h = (h ^ static_cast<std::uint32_t>(static_cast<unsigned char>(*text))) * 16777619u;
  return h;
}

template <class Op>
constexpr operation describe() {
  operation d{Op::name, hash_text(Op::name), Op::kind, 0, false, false, false, false, nullptr, nullptr};
  if constexpr (requires { Op::cost; }) d.cost = Op::cost;
  if constexpr (requires { Op::commutative; }) d.commutative = Op::commutative;
  if constexpr (requires { Op::foldable; }) d.foldable = Op::foldable;
  if constexpr (requires { Op::identity_value; }) d.identity_value = Op::identity_value;
  if constexpr (requires { Op::piecewise_constant; }) d.piecewise_constant = Op::piecewise_constant;
  if constexpr (requires(backprop& b) { Op::template backward<backprop>(b); }) d.backward = &Op::template backward<backprop>;
  if constexpr (requires { &Op::reference; }) d.reference = &Op::reference;
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
template <class Op>
struct op_registered {
  friend constexpr auto find_operation(op_key<&description_of<Op>>) { return type_box<Op>{}; }
  static constexpr const operation* id = &description_of<Op>;
};

/// The identity of an operation in a graph.
template <class Op>
inline constexpr const operation* op = op_registered<Op>::id;

/// The struct of the operation whose identity is `Id`.
template <const operation* Id>
using operation_struct = typename decltype(find_operation(op_key<Id>{}))::type;

}  // namespace kroton
