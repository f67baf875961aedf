// A range of indices along one axis, and its inverse: a tensor of zeros with a range written.
#pragma once

#include <kroton/graph/term.hpp>

namespace kroton {

constexpr term slice_term(term x, const attributes& attr, extent_code count);
constexpr term embed_term(term x, const attributes& attr, const shape& target);

namespace ops {
/// attr.a: axis + 16 * step; attr.b: extent code of the first index.
struct slice {
  static constexpr op_kind kind = op_kind::slice;
  static constexpr const char* name = "slice";
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, embed_term(b.seed(), b.attr(), b.operand(0).extents()));
  }
};
/// attributes as `slice`; the operand lies there, the rest is 0.
struct embed {
  static constexpr op_kind kind = op_kind::embed;
  static constexpr const char* name = "embed";
  template <class B>
  static constexpr void backward(B& b) {
    const int axis = static_cast<int>(b.attr().a & 15);
    b.add(0, slice_term(b.seed(), b.attr(), b.operand(0).extents()[axis]));
  }
};
}  // namespace ops

constexpr term slice_term(term x, const attributes& attr, extent_code count) {
  shape s = x.extents();
  s[static_cast<int>(attr.a & 15)] = count;
  if (s == x.extents() && attr.b == 0 && attr.a >> 4 == 1) return x;
  return graph_layer::record<ops::slice>(*x.owner, x.type(), s, attr, &x.id, 1);
}

constexpr term embed_term(term x, const attributes& attr, const shape& target) {
  return graph_layer::record<ops::embed>(*x.owner, x.type(), target, attr, &x.id, 1);
}

}  // namespace kroton
