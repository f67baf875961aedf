// This header has the operation transfer: the same values at another place.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {

namespace graph {
constexpr term transfer_term(term x, place_id to, bool is_explicit);
}  // namespace graph

namespace ops {
/// Attributes: transfer_form.
struct transfer {
  static constexpr op_kind kind = op_kind::transfer;
  static constexpr const char* name = "transfer";
  template <class B>
  static constexpr void backward(B& b) {
    b.add(0, transfer_term(b.seed(), b.operand(0).get().place, transfer_form::of(b.attr()).is_written));
  }
};
}  // namespace ops

namespace graph {
/// The values of `x` at `to`. Transfers of transfers are joined: a transfer to a of a transfer to b of x, which lies at
/// a, is x, and a transfer to c of it is one transfer from a to c.
constexpr term transfer_term(term x, place_id to, bool is_explicit) {
  while (x.get().op->kind == op_kind::transfer) x.id = x.owner->operand(x.id, 0);
  if (x.get().place == to || x.get().place == anywhere) return x;
  return graph_layer::record<ops::transfer>(*x.owner, x.type(), x.extents(), transfer_form{to, is_explicit}, &x.id, 1);
}
/// The same, recorded also where the values are there already, because outputs that end with it stay there.
constexpr term written_transfer(term x, place_id to) {
  while (x.get().op->kind == op_kind::transfer) x.id = x.owner->operand(x.id, 0);
  return graph_layer::record<ops::transfer>(*x.owner, x.type(), x.extents(), transfer_form{to, true}, &x.id, 1);
}
}  // namespace graph

}  // namespace kroton
