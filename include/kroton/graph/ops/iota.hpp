// This header has the operation iota: the index along an axis.
#pragma once

#include <kroton/graph/term.hpp>

namespace kroton {
namespace ops {
/// A vector 0, 1, 2, ...
struct iota {
  static constexpr op_kind kind = op_kind::iota;
  static constexpr const char* name = "iota";
  static constexpr operands takes = operands::numeric;
};
}  // namespace ops

namespace graph {
/// The vector 0, 1, ..., count - 1.
constexpr term iota(graph& g, dtype type, extent_code count) {
  shape s;
  s.append(count);
  return graph_layer::record<ops::iota>(g, type, s, {}, nullptr, 0);
}
}  // namespace graph

}  // namespace kroton
