// This header has the operation cumsum: sums of all elements up to each index along an axis.
#pragma once

#include <kroton/graph/axes.hpp>
#include <kroton/graph/line_sums.hpp>
#include <kroton/graph/reduction.hpp>
#include <kroton/graph/routine.hpp>

namespace kroton {
namespace ops {

/// Attributes: along_form. Floats are added in double, 16-bit floats in float, integers in 64 bits, which wrap.
struct cumsum : routine<cumsum, 1, operands::numeric> {
  using form = along_form;
  static constexpr const char* name = "cumsum";
  static constexpr int cost = 1;
  static constexpr bool cannot_fail = true;
  static constexpr dtype result(const dtype* types, int) { return widened(types[0]); }
  static constexpr bool in_place(int) { return true; }
  static constexpr int batch(form f, int, int axis) { return axis == f.axis ? -1 : axis; }
  template <class B>
  static constexpr void backward(B& b) {
    const form f = form::of(b.attr());
    b.add(0, call_routine<cumsum>(form{f.axis, !f.reversed}, b.seed()));
  }

  static void host(const auto& call) {
    const auto& [x] = call.operands;
    line_sums<added>::on_host(call, x.data, call.result.data);
  }
  static void cuda(const auto& call) {
    const auto& [x] = call.operands;
    line_sums<added>::on_device(call, x.data, call.result.data);
  }
  static std::int64_t cuda_workspace(const auto& call) {
    const auto& [x] = call.operands;
    return line_sums<added>::device_workspace(call, x.data);
  }
};
}  // namespace ops

constexpr term cumsum(term x, int axis) { return call_routine<ops::cumsum>(along_form{axis}, x); }

/// Sums up to each index along an axis: `kt::cumsum(x, kt::axis<1>)` of {{1, 2, 3}} is {{1, 3, 6}}. Sums of narrow
/// integers are 64 bits wide.
template <tensor_like X, class Axes = graph::in_braces>
  requires(!std::is_same_v<X, term>)
constexpr auto cumsum(const X& x, Axes axis) { return layer_of_tensors<X>::template along<ops::cumsum>(x, axis); }
/// The same of a vector: `kt::cumsum(x)`.
template <tensor_like X>
constexpr auto cumsum(const X& x) {
  return layer_of_tensors<X>::template along<ops::cumsum>(x);
}

}  // namespace kroton
