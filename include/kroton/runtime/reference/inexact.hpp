// This header says which results are rounded. Runs with noise change such results by some units in the last place, to
// find how much rounding matters.
#pragma once

#include <kroton/graph/ops.hpp>

namespace kroton::reference {

/// Whether the results of node `n` are rounded, so that its error is more than that of its operands.
inline bool is_inexact(const node& n) {
  if (!is_floating(n.type) || n.op->piecewise_constant) return false;
  switch (n.op->kind) {
    case op_kind::input:
    case op_kind::shared:  // their values are not rounded, but sums of them are
    case op_kind::dot:
    case op_kind::routine:
    case op_kind::scatter_add: return true;
    case op_kind::reduce: return n.op->id == id_of<ops::sum> || n.op->id == id_of<ops::prod>;
    case op_kind::map: break;
    default: return false;
  }
  const operation_id exact[] = {id_of<ops::neg>,   id_of<ops::abs>,  id_of<ops::minimum>, id_of<ops::maximum>,
                                id_of<ops::where>, id_of<ops::copy>, id_of<ops::cast>};
  for (operation_id e : exact)
    if (n.op->id == e) return false;
  return !n.op->identity_value;
}

}  // namespace kroton::reference
