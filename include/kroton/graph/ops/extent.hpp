// This header has the operation extent: the value of an extent as a scalar, for means and the like.
#pragma once

#include <kroton/graph/ops/constant.hpp>

namespace kroton {
namespace ops {
/// Attributes: extent_form.
struct extent {
  static constexpr op_kind kind = op_kind::extent;
  static constexpr const char* name = "extent";
  static constexpr operands takes = operands::numeric;
};
}  // namespace ops

namespace graph {
/// Extent `e` of graph `g` as a scalar of `type`.
constexpr term extent_value(graph& g, dtype type, extent_code e) {
  if (e >= 0) return constant(g, type, static_cast<double>(e));
  return graph_layer::record<ops::extent>(g, type, {}, extent_form{e}, nullptr, 0);
}
}  // namespace graph

}  // namespace kroton
