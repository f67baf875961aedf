// This header has the operations slice, a range of indices along one axis, and embed, its inverse: a tensor of zeros
// with a range written.
#pragma once

#include <kroton/graph/term.hpp>

namespace kroton {

namespace graph {
constexpr term slice_term(term x, const slice_form& form, extent_code count);
constexpr term embed_term(term x, const slice_form& form, const shape& target);
}  // namespace graph

namespace ops {
/// Attributes: slice_form.
struct slice {
  static constexpr op_kind kind = op_kind::slice;
  static constexpr const char* name = "slice";
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, embed_term(b.seed(), slice_form::of(b.attr()), b.operand(0).extents()));
  }
};
/// The operand lies where `slice` with the same attributes reads; the rest is 0.
struct embed {
  static constexpr op_kind kind = op_kind::embed;
  static constexpr const char* name = "embed";
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, slice_term(b.seed(), slice_form::of(b.attr()), b.operand(0).extents()[slice_form::of(b.attr()).axis]));
  }
};
}  // namespace ops

namespace graph {
constexpr term slice_term(term x, const slice_form& form, extent_code count) {
  shape s = x.extents();
  s[form.axis] = count;
  if (s == x.extents() && form.first == 0 && form.step == 1) return x;
  return graph_layer::record<ops::slice>(*x.owner, x.type(), s, form, &x.id, 1);
}

constexpr term embed_term(term x, const slice_form& form, const shape& target) {
  return graph_layer::record<ops::embed>(*x.owner, x.type(), target, form, &x.id, 1);
}
}  // namespace graph

}  // namespace kroton
