// This header has the operation searchsorted: where numbers belong in a vector in ascending order.
//
//     {1, 3, 3, 7}, values {3, 0, 8}  ->  {1, 0, 4}, and behind equal ones {3, 0, 4}
#pragma once

#include <kroton/graph/attributes.hpp>
#include <kroton/graph/ops/argsort.hpp>

namespace kroton {

namespace graph {
/// Finds how many elements are before a value; a NaN is behind all numbers, as argsort orders it.
template <class T>
struct search_task {
  T *sorted, *values;
  std::int64_t* result;
  std::int64_t count;
  bool behind;
  KROTON_HD constexpr void operator()(std::int64_t i) const {
    const std::uint64_t key = sort_key(values[i], false);
    std::int64_t low = 0, high = count;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      const std::uint64_t there = sort_key(sorted[middle], false);
      if (there < key || (behind && there == key)) low = middle + 1;
      else high = middle;
    }
    result[i] = low;
  }
};
}  // namespace graph

namespace ops {
/// Operands: a vector in ascending order, and values of any shape. Attributes: along_form; reversed: behind equal ones.
struct searchsorted : routine<searchsorted, 2, operands::numeric> {
  using form = along_form;
  static constexpr const char* name = "searchsorted";
  static constexpr int cost = 40;
  static constexpr bool cannot_fail = true;
  static constexpr dtype result(const dtype*, int) { return dtype::int64; }
  static constexpr bool ranks_agree(const shape* x, const form&) { return x[0].rank == 1; }
  static constexpr shape result_shape(auto&, const shape* x, const form&) { return x[1]; }
  static constexpr int batch(const form&, int operand, int axis) { return operand == 1 ? axis : -1; }

  static void host(const auto& call) {
    std::apply([&](const auto&... x) { run(call, x...); }, call.operands);
  }
  static void cuda(const auto& call) { host(call); }

 private:
  template <class T>
  static void run(const auto& call, const routine_tensor<T>& sorted, const routine_tensor<T>& values) {
    call.for_each(values.size(),
                  search_task<T>{sorted.data, values.data, call.result.data, sorted.size(), call.form.reversed});
  }
};
}  // namespace ops

}  // namespace kroton
