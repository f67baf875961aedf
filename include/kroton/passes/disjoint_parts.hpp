// This header has a rule of the rewrite pass: a sum of tensors that are zero but for parts which do not overlap is a
// concatenation of these parts. So the gradients of slices of one tensor are written side by side.
//
//     add(embed(%1 (n, 2) at column 0), embed(%2 (n, 2) at column 4)), both (n, 8)
//       ->  concatenate(%1, zeros (n, 2), %2, zeros (n, 2)) along axis 1
#pragma once

#include <kroton/graph/ops/add.hpp>
#include <kroton/graph/ops/concatenate.hpp>
#include <kroton/graph/ops/slice.hpp>

namespace kroton::passes {

/// The parts of a term along an axis, in order. Between them it is zero.
class disjoint_parts {
 public:
  constexpr explicit disjoint_parts(term x) : extents_(x.owner->extents) {
    const node& n = x.get();
    graph& g = *x.owner;
    if (n.op->kind == op_kind::embed && slice_form::of(n.attr).step == 1) {
      const slice_form form = slice_form::of(n.attr);
      axis_ = form.axis;
      add({&g, g.operand(x.id, 0)}, form.first);
    } else if (n.op->kind == op_kind::concatenate) {
      axis_ = concatenate_form::of(n.attr).axis;
      extent_code first = 0;
      for (int i = 0; i < n.count; ++i) {
        const term each{&g, g.operand(x.id, i)};
        if (!is_zero(each)) add(each, first);
        first = extents_.add(first, each.extents()[axis_]);
      }
    }
  }
  constexpr int axis() const { return axis_; }
  /// Takes the parts of another term, unless one of them overlaps, or may do so.
  constexpr bool take(const disjoint_parts& other) {
    if (axis_ < 0 || other.axis_ != axis_) return false;
    array_list<part> all;
    int mine = 0;
    for (const part& theirs : other.parts_) {
      while (mine < parts_.size() && is_before(parts_[mine].behind, theirs.first)) all.push_back(parts_[mine++]);
      if (mine < parts_.size() && !is_before(theirs.behind, parts_[mine].first)) return false;
      all.push_back(theirs);
    }
    for (; mine < parts_.size(); ++mine) all.push_back(parts_[mine]);
    parts_ = all;
    return true;
  }
  /// The concatenation of the parts, and of zeros between them, to a tensor of shape `whole`.
  constexpr term joined(const shape& whole) const {
    graph& g = *parts_[0].value.owner;
    array_list<int> all;
    extent_code end = 0;
    const auto fill = [&](extent_code first) {
      if (first == end) return;
      shape gap = whole;
      gap[axis_] = extents_.subtract(first, end);
      all.push_back(broadcast_term(constant_of_bits(g, parts_[0].value.type(), 0), gap).id);
    };
    for (const part& each : parts_) {
      fill(each.first);
      all.push_back(each.value.id);
      end = each.behind;
    }
    fill(whole[axis_]);
    return graph_layer::record<ops::concatenate>(g, parts_[0].value.type(), whole, concatenate_form{axis_}, all.begin(),
                                                 all.size());
  }

 private:
  struct part {
    extent_code first = 0, behind = 0;
    term value;
  };
  extent_table& extents_;
  int axis_ = -1;
  array_list<part> parts_;

  constexpr void add(term value, extent_code first) {
    parts_.push_back({first, extents_.add(first, value.extents()[axis_]), value});
  }
  static constexpr bool is_before(extent_code a, extent_code b) { return a == b || (a >= 0 && b >= a); }
  static constexpr bool is_zero(term x) {
    while (x.get().op->kind == op_kind::broadcast || x.get().op->kind == op_kind::reshape)
      x = {x.owner, x.owner->operand(x.id, 0)};
    return is_constant(x) && constant_form::of(x.get().attr).bits == 0;
  }
};

/// A sum of tensors with disjoint parts.
constexpr term sum_of_parts(const node& n, term x, term y) {
  if (n.op->id != id_of<ops::add> || x.get().shape != n.shape || y.get().shape != n.shape) return {};
  disjoint_parts parts(x);
  if (parts.axis() < 0 || !parts.take(disjoint_parts(y))) return {};
  const shape whole = x.extents();  // a copy, because new nodes move the graph's shapes
  return parts.joined(whole);
}

}  // namespace kroton::passes
