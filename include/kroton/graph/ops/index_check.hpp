// This header has the operation index_check: an index that must lie in a range; what is outside is an error of the
// call.
#pragma once

#include <kroton/graph/elementwise.hpp>

namespace kroton {
namespace ops {
/// Attributes: extent_form, the bound; indices lie in [0, bound).
struct index_check : elementwise<index_check, 1, operands::integral> {
  static constexpr const char* name = "index_check";
  static constexpr bool has_kernel(backend_kind, dtype type) { return is_integer(type); }
  template <class V>
  static constexpr KROTON_HD V apply(const V& x) {
    return x;
  }
};
}  // namespace ops

namespace graph {
constexpr term check_index(term index, extent_code bound) {
  return graph_layer::record<ops::index_check>(*index.owner, index.type(), index.extents(), extent_form{bound},
                                               &index.id, 1);
}
}  // namespace graph

}  // namespace kroton
