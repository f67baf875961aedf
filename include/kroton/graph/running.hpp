// This header has the base of operations that join all elements up to each index along an axis, such as cumsum.
//
//     struct cumprod : running<cumprod, multiplied, operands::numeric> { ... }   {1, 2, 3}  ->  {1, 2, 6}
#pragma once

#include <kroton/graph/line_sums.hpp>
#include <kroton/graph/routine.hpp>

namespace kroton::graph {

/// A routine with an along_form that is computed by `line_sums<Join>`.
template <class Op, class Join, operands Accepts>
struct running : routine<Op, 1, Accepts> {
  using form = along_form;
  static constexpr bool cannot_fail = true;
  static constexpr bool in_place(int) { return true; }
  static constexpr int batch(form f, int, int axis) { return axis == f.axis ? -1 : axis; }

  static void host(const auto& call) {
    const auto& [x] = call.operands;
    line_sums<Join>::on_host(call, x.data, call.result.data);
  }
  static void cuda(const auto& call) {
    const auto& [x] = call.operands;
    line_sums<Join>::on_device(call, x.data, call.result.data);
  }
  static std::int64_t cuda_workspace(const auto& call) {
    const auto& [x] = call.operands;
    return line_sums<Join>::device_workspace(call, x.data);
  }
};

}  // namespace kroton::graph
