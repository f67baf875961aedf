// This header has kt::pad: elements before and after those of a tensor along an axis, in the modes of NumPy.
//
//     kt::pad<2, 1>(x) of {1, 2, 3} is {0, 0, 1, 2, 3, 0}, with kt::pad_reflect {3, 2, 1, 2, 3, 2}
#pragma once

#include <kroton/expr/arranged.hpp>

namespace kroton {

namespace typed {
namespace functions {  // names for error messages
struct pad;
}  // namespace functions

enum class pad_kind { edge, linear_ramp, maximum, mean, minimum, reflect, symmetric, wrap };
template <pad_kind Kind>
struct pad_mode {
  static constexpr pad_kind kind = Kind;
};
template <class X>
inline constexpr bool is_pad_mode = false;
template <pad_kind Kind>
inline constexpr bool is_pad_mode<pad_mode<Kind>> = true;
}  // namespace typed

/// kt::pad repeats the element at the end: {1, 1, 1, 2, 3, 3}.
inline constexpr typed::pad_mode<typed::pad_kind::edge> pad_edge{};
/// kt::pad goes from the element at the end to 0 in even steps: {0, 0.5, 1, 2, 3, 0}.
inline constexpr typed::pad_mode<typed::pad_kind::linear_ramp> pad_linear_ramp{};
/// kt::pad puts the largest element along the axis on both sides: {3, 3, 1, 2, 3, 3}.
inline constexpr typed::pad_mode<typed::pad_kind::maximum> pad_maximum{};
/// kt::pad puts the mean along the axis on both sides: {2, 2, 1, 2, 3, 2}.
inline constexpr typed::pad_mode<typed::pad_kind::mean> pad_mean{};
/// kt::pad puts the smallest element along the axis on both sides: {1, 1, 1, 2, 3, 1}.
inline constexpr typed::pad_mode<typed::pad_kind::minimum> pad_minimum{};
/// kt::pad mirrors the tensor at its last element, which stands there once: {3, 2, 1, 2, 3, 2}.
inline constexpr typed::pad_mode<typed::pad_kind::reflect> pad_reflect{};
/// kt::pad mirrors the tensor at its end, so that the last element stands there twice: {2, 1, 1, 2, 3, 3}.
inline constexpr typed::pad_mode<typed::pad_kind::symmetric> pad_symmetric{};
/// kt::pad goes on with the tensor from its other end, as if it were a ring: {2, 3, 1, 2, 3, 1}.
inline constexpr typed::pad_mode<typed::pad_kind::wrap> pad_wrap{};

namespace typed {
/// The position of the element of a tensor of `count` elements that padding puts at `at`, which may be outside of it.
constexpr term padded_positions(pad_kind kind, term at, term count) {
  if (kind == pad_kind::wrap) return mod(at, count);
  if (kind == pad_kind::edge || kind == pad_kind::linear_ramp) return minimum(maximum(at, 0), count - 1);
  const bool is_reflected = kind == pad_kind::reflect;
  const term period = is_reflected ? maximum(2 * (count - 1), 1) : 2 * count;
  const term within = mod(at, period);
  return minimum(within, maximum(period - within - (is_reflected ? 0 : 1), 0));
}
/// How far elements of padding are on the way from the end, 0, to the tensor, 1: a vector that broadcasts to an axis.
constexpr term ramp(term x, int axis, extent_code before, extent_code after) {
  graph& g = *x.owner;
  const extent_code count = x.extents()[axis], length = g.extents.add(count, before + after);
  const term at = iota(g, dtype::int64, length), end = extent_value(g, dtype::int64, length) - 1;
  const auto part = [&](term steps, extent_code most) {
    return cast(steps, x.type()) / constant(g, x.type(), static_cast<double>(most > 0 ? most : 1));
  };
  const term one = constant(g, x.type(), 1);
  const term left = before > 0 ? minimum(part(at, before), one) : one;
  const term right = after > 0 ? minimum(part(end - at, after), one) : one;
  const term both = left * right;
  return both.rank() == 0 ? both : lying_along(both, axis, x.rank());
}
/// The mistake in the arguments of kt::pad.
template <std::int64_t Before, std::int64_t After, class X, class Mode>
constexpr complaint pad_problem(const told_axis& axis) {
  if (axis.problem != complaint::none) return axis.problem;
  if (Before < 0 || After < 0) return complaint::counts;
  if constexpr (!expression<X>) {
    return complaint::operand;
  } else if constexpr (is_pad_mode<Mode>) {
    constexpr bool needs_floats = Mode::kind == pad_kind::mean || Mode::kind == pad_kind::linear_ramp;
    if (needs_floats && !is_floating(dtype_of<typename X::element>)) return complaint::type;
    return extent_along<X>(axis) == 0 ? complaint::no_elements : complaint::none;
  } else {
    return literal<Mode> ? complaint::none : complaint::pad_mode;
  }
}
/// What stands before and after `x` in the modes that have one value there, with extent 1 along the axis.
template <pad_kind Kind, class X, int Axis>
constexpr term around(const X& x, axis_list<Axis> axis) {
  if constexpr (Kind == pad_kind::maximum) return max(x, axis, keep_dims).untyped();
  else if constexpr (Kind == pad_kind::minimum) return min(x, axis, keep_dims).untyped();
  else return mean(x, axis, keep_dims).untyped();
}
/// `value` before and after `x`.
constexpr term between(term x, int axis, std::int64_t before, std::int64_t after, term value) {
  const auto part = [&](std::int64_t count) {
    const shape s = with_extent(x.extents(), axis, count);
    return broadcast_term(value, s);
  };
  const term parts[] = {part(before), x, part(after)};
  return concatenate_term(parts, 3, axis);
}

template <std::int64_t Before, std::int64_t After, class... OfAxis, class X, class Mode>
constexpr auto padded(const X& x, [[maybe_unused]] const Mode& mode, [[maybe_unused]] unsigned line) {
  constexpr told_axis told = axis_of<X, OfAxis...>();
  constexpr int axis = told.number;
  constexpr complaint problem = pad_problem<Before, After, X, Mode>(told);
  if constexpr (problem != complaint::none) {
    return refuse<problem, functions::pad>(x);
  } else {
    constexpr shape s = shape_of_type<typename X::extents_type>;
    constexpr shape result = with_extent(s, axis, typed_extents::add(s[axis], Before + After));
    const auto made = [&](term t) { return typed_layer::typed<typename X::element, result, X>(t); };
    const term t = x.untyped();
    graph& g = *t.owner;
    if constexpr (!is_pad_mode<Mode>) {
      return made(between(t, axis, Before, After, constant_of(g, t.type(), t.type(), mode, "pad", line)));
    } else {
      const extent_code count = require_elements(t, std::int64_t{1} << axis, "pad");
      constexpr pad_kind kind = Mode::kind;
      if constexpr (kind == pad_kind::maximum || kind == pad_kind::minimum || kind == pad_kind::mean) {
        return made(between(t, axis, Before, After, around<kind>(x, axis_list<axis>{})));
      } else {
        const term at = iota(g, dtype::int64, g.extents.add(count, Before + After)) - Before;
        const term index = padded_positions(kind, at, extent_value(g, dtype::int64, count));
        const term taken = taken_along(t, axis, index);
        return made(kind == pad_kind::linear_ramp ? taken * ramp(t, axis, Before, After) : taken);
      }
    }
  }
}
}  // namespace typed

/// `x` with `Before` elements before it and `After` elements after it along an axis: a number, or what a mode says.
/// `kt::pad<1, 1>(x, kt::axis<0>, 0.5)`, `kt::pad<2, 1>(x, kt::axis<1>, kt::pad_reflect)`. Modes are kt::pad_edge,
/// pad_linear_ramp, pad_maximum, pad_mean, pad_minimum, pad_reflect, pad_symmetric and pad_wrap; with a mode, an axis
/// of no elements is a `shape_error` at the call.
template <std::int64_t Before, std::int64_t After, class X, int Axis, class Mode = int>
constexpr auto pad(const X& x, graph::axis_list<Axis>, const Mode& mode = 0, unsigned line = __builtin_LINE()) {
  return typed::padded<Before, After, graph::axis_list<Axis>>(x, mode, line);
}
/// The same of a vector: `kt::pad<1, 1>(x)`.
template <std::int64_t Before, std::int64_t After, class X, class Mode = int>
  requires(!graph::is_axes<Mode>)
constexpr auto pad(const X& x, const Mode& mode = 0, unsigned line = __builtin_LINE()) {
  return typed::padded<Before, After>(x, mode, line);
}

}  // namespace kroton
