// This header has the numbers of a node that are part of its operation, such as the axes of a sum, and the forms that
// name them.
//
// A node keeps three numbers, so that all nodes are compared and hashed alike. Each kind of operation has a form, which
// is made of them and makes them:
//
//     slice_form{.axis = 1, .step = 2, .first = 4}  ->  attributes {33, 4, 0}  ->  slice_form::of(node.attr).axis == 1
#pragma once

#include <kroton/graph/shape.hpp>

#include <bit>
#include <cstdint>

namespace kroton {

namespace graph {
/// Where a node is computed, or a variable lies: the context of the session, the host, or a named context (an index
/// into graph::places, after these). Numbers, extents and indices are known anywhere.
using place_id = std::int8_t;
inline constexpr place_id anywhere = -1, at_home = 0, at_host = 1, first_named_place = 2;
}  // namespace graph

/// The numbers of a node. Nobody but forms looks into them.
struct attributes {
  std::int64_t a = 0, b = 0, c = 0;
  friend constexpr bool operator==(const attributes&, const attributes&) = default;
  constexpr std::uint32_t hash() const {
    return (static_cast<std::uint32_t>(a ^ (a >> 32)) * 0x9e3779b1u) ^ (static_cast<std::uint32_t>(b) * 0x85ebca6bu);
  }
};

namespace graph {
/// The attributes of reductions.
struct reduction_form {
  std::int64_t axes;  ///< bit `i`: over axis `i`
  static constexpr reduction_form of(const attributes& x) { return {x.a}; }
  constexpr operator attributes() const { return {axes, 0, 0}; }
  constexpr bool is_over(int axis) const { return ((axes >> axis) & 1) != 0; }
};
/// The attributes of slice and embed: the indices first, first + step, ... of one axis.
struct slice_form {
  int axis;
  std::int64_t step;
  extent_code first;
  static constexpr slice_form of(const attributes& x) { return {static_cast<int>(x.a & 15), x.a >> 4, x.b}; }
  constexpr operator attributes() const { return {axis + 16 * step, first, 0}; }
};
/// The attributes of transpose.
struct transpose_form {
  std::int64_t order;  ///< see `permuted_axis`
  static constexpr transpose_form of(const attributes& x) { return {x.a}; }
  constexpr operator attributes() const { return {order, 0, 0}; }
};
/// The attributes of concatenate.
struct concatenate_form {
  int axis;
  static constexpr concatenate_form of(const attributes& x) { return {static_cast<int>(x.a)}; }
  constexpr operator attributes() const { return {axis, 0, 0}; }
};
}  // namespace graph

/// The attributes of operations along one axis, such as cumsum.
struct along_form {
  int axis;
  bool reversed = false;   ///< from the last index to the first
  std::int64_t count = 0;  ///< how many of the axis are wanted, 0: all
  static constexpr along_form of(const attributes& x) { return {static_cast<int>(x.a), x.b != 0, x.c}; }
  constexpr operator attributes() const { return {axis, reversed, count}; }
};
/// The attributes of held_positions.
struct held_form {
  std::int64_t most;  ///< as many positions of elements that hold are wanted
  bool all = false;   ///< those of all elements are wanted
  static constexpr held_form of(const attributes& x) { return {x.b, x.a != 0}; }
  constexpr operator attributes() const { return {all, most}; }
};
/// The attributes of an operation that has no numbers.
struct no_form {
  static constexpr no_form of(const attributes&) { return {}; }
  constexpr operator attributes() const { return {}; }
};

namespace graph {
/// The attributes of transfer.
struct transfer_form {
  place_id to;
  bool is_written;  ///< the user wrote it; a pass inserted any other
  static constexpr transfer_form of(const attributes& x) { return {static_cast<place_id>(x.a), x.b != 0}; }
  constexpr operator attributes() const { return {to, is_written, 0}; }
};
/// The attributes of input and shared.
struct variable_form {
  int position;  ///< in graph::inputs or graph::shared
  static constexpr variable_form of(const attributes& x) { return {static_cast<int>(x.a)}; }
  constexpr operator attributes() const { return {position, 0, 0}; }
};
/// The attributes of constant.
struct constant_form {
  std::int64_t bits;  ///< the value of integers and bool; of others those of the nearest double
  static constexpr constant_form of(const attributes& x) { return {x.a}; }
  constexpr operator attributes() const { return {bits, 0, 0}; }
};
/// The attributes of copy.
struct copy_form {
  int number;  ///< copies of one node have different numbers, so that they stay apart
  constexpr operator attributes() const { return {number, 0, 0}; }
};
/// The attributes of extent, which are the extent, and of index_check, which are the bound.
struct extent_form {
  extent_code extent;
  static constexpr extent_form of(const attributes& x) { return {x.a}; }
  constexpr operator attributes() const { return {extent, 0, 0}; }
};
/// The attributes of loop_row: iteration t has the row `first` + t, or `first` - t if the loop goes backwards.
struct loop_row_form {
  int loop;
  bool goes_back;
  extent_code first;
  static constexpr loop_row_form of(const attributes& x) { return {loop_number(x), x.c != 0, x.b}; }
  constexpr operator attributes() const { return {loop, first, goes_back}; }
  /// The loop that a node of this or one of the next three forms belongs to.
  static constexpr int loop_number(const attributes& x) { return static_cast<int>(x.a & 63); }
  /// The attributes of such a node, in another loop.
  static constexpr attributes in_loop(const attributes& x, int loop) {
    return {(x.a & ~std::int64_t{63}) | loop, x.b, x.c};
  }
};
/// The attributes of loop_carried: the value of carried variable `number` that is `back` iterations old, of `kept` that
/// the first iterations need.
struct loop_carried_form {
  int loop, number, back, kept;
  static constexpr loop_carried_form of(const attributes& x) {
    return {loop_row_form::loop_number(x), static_cast<int>(x.a >> 6), static_cast<int>(x.b), static_cast<int>(x.c)};
  }
  constexpr operator attributes() const { return {loop + 64 * std::int64_t{number}, back, kept}; }
  /// Whether both have values of one variable.
  constexpr bool is_of(const loop_carried_form& other) const { return loop == other.loop && number == other.number; }
};
/// What the attributes of both results of loops have.
struct loop_result_form {
  int loop;
  extent_code iterations;
  static constexpr loop_result_form of(const attributes& x) { return {loop_row_form::loop_number(x), x.b}; }
};
/// The attributes of loop_rows: iteration t makes row t, or the row that is as far from the end if they are `reversed`.
struct loop_rows_form {
  int loop;
  bool reversed;
  extent_code iterations;
  static constexpr loop_rows_form of(const attributes& x) { return {loop_row_form::loop_number(x), x.c != 0, x.b}; }
  constexpr operator attributes() const { return {loop, iterations, reversed}; }
};
/// The attributes of loop_last: the value that is `back` iterations old after the last one.
struct loop_last_form {
  int loop, back;
  extent_code iterations;
  static constexpr loop_last_form of(const attributes& x) {
    return {loop_row_form::loop_number(x), static_cast<int>(x.c), x.b};
  }
  constexpr operator attributes() const { return {loop, iterations, back}; }
};
/// The attributes of custom_gradient.
struct custom_form {
  int number;  ///< in graph::custom_rules
  static constexpr custom_form of(const attributes& x) { return {static_cast<int>(x.a)}; }
  constexpr operator attributes() const { return {number, 0, 0}; }
};
/// The attributes of grad_scale.
struct scale_form {
  double factor;
  static constexpr scale_form of(const attributes& x) { return {std::bit_cast<double>(x.a)}; }
  constexpr operator attributes() const { return {std::bit_cast<std::int64_t>(factor), 0, 0}; }
};
/// The attributes of grad_clip.
struct clip_form {
  double low, high;
  static constexpr clip_form of(const attributes& x) {
    return {std::bit_cast<double>(x.a), std::bit_cast<double>(x.b)};
  }
  constexpr operator attributes() const {
    return {std::bit_cast<std::int64_t>(low), std::bit_cast<std::int64_t>(high), 0};
  }
};
}  // namespace graph

}  // namespace kroton
