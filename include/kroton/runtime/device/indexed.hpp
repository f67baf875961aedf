// This header reads rows by index, and adds rows at indices, on a device. The indices were checked before.
//
//     take(x, {2, 0}) -> rows 2 and 0 of x;  scatter_add(rows, {1, 1}) -> row 1 is the sum of both, in their order
#pragma once

#include <kroton/runtime/device/elements.hpp>
#include <kroton/runtime/device/step_call.hpp>

namespace kroton::runtime::on_device {

template <class T, class Index>
struct take_task {
  const T* table;
  const Index* index;
  T* result;
  std::int64_t row;
  KROTON_DEVICE void operator()(std::int64_t i) const {
    result[i] = table[static_cast<std::int64_t>(index[i / row]) * row + i % row];
  }
};

/// Writes, for each row, the number of the row to which it is added, and its own number. Both are then sorted.
template <class Index>
struct number_rows {
  const Index* index;
  std::int64_t *targets, *positions;
  KROTON_DEVICE void operator()(std::int64_t i) const {
    targets[i] = static_cast<std::int64_t>(index[i]);
    positions[i] = i;
  }
};
template <class T>
struct clear_task {
  T* result;
  KROTON_DEVICE void operator()(std::int64_t i) const { result[i] = T(0); }
};
/// The first of the rows with one target adds all of them, in their order, so that the result is always the same.
template <class T>
struct add_rows {
  const std::int64_t *targets, *positions;  // sorted by target, then by position
  const T* rows;
  T* result;
  std::int64_t count, row;
  KROTON_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t first = i / row, column = i % row, target = targets[first];
    if (first > 0 && targets[first - 1] == target) return;
    T sum = rows[positions[first] * row + column];
    for (std::int64_t next = first + 1; next < count && targets[next] == target; ++next)
      sum += rows[positions[next] * row + column];
    result[target * row + column] = sum;
  }
};

template <class T, class Index, class Launch>
void take_rows(const Launch& launch, const step_call& call) {
  const bound_step& b = call.bound;
  launch.threads(b.parameters[0] * b.parameters[1],
                 take_task<T, Index>{reinterpret_cast<const T*>(b.operands[0].start),
                                     reinterpret_cast<const Index*>(b.operands[1].start),
                                     reinterpret_cast<T*>(b.operands[2].start), b.parameters[1]});
}

/// The parameters of the step are the number of rows, the elements of a row, and the rows of the result.
template <class T, class Index, class Launch>
void scatter_add_rows(const Launch& launch, const step_call& call) {
  const bound_step& b = call.bound;
  const std::int64_t count = b.parameters[0], row = b.parameters[1];
  T* const result = reinterpret_cast<T*>(b.operands[2].start);
  launch.threads(b.parameters[2] * row, clear_task<T>{result});
  if (count * row == 0) return;
  auto* const numbers = reinterpret_cast<std::int64_t*>(call.workspace);
  launch.threads(count,
                 number_rows<Index>{reinterpret_cast<const Index*>(b.operands[0].start), numbers, numbers + count});
  const auto [targets, positions] =
      launch.sort_by_first(numbers, count, b.parameters[2], reinterpret_cast<std::byte*>(numbers + 4 * count));
  launch.threads(count * row,
                 add_rows<T>{targets, positions, reinterpret_cast<const T*>(b.operands[1].start), result, count, row});
}
/// Bytes of workspace for targets and positions, twice, and for sorting.
template <class Launch>
std::int64_t scatter_workspace(device_stream& stream, const step_call& call) {
  const auto& parameters = call.bound.parameters;
  return parameters[0] * 4 * static_cast<std::int64_t>(sizeof(std::int64_t)) +
         Launch::template sort_workspace<std::int64_t>(stream, parameters[0], parameters[2]);
}

}  // namespace kroton::runtime::on_device
