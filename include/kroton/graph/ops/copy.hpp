// This header has the operation copy: the same elements written contiguously; inserted by passes where a view cannot be
// used as it is.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
struct copy : elementwise<copy, 1, operands::any> {
  static constexpr const char* name = "copy";
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    return x;
  }
};
}  // namespace ops

namespace graph {
constexpr term copy_term(term x) {
  return graph_layer::record<ops::copy>(*x.owner, x.type(), x.extents(), {}, &x.id, 1);
}
}  // namespace graph

}  // namespace kroton
