// This header reads rows by index, and adds rows at indices, on a device. The indices were checked before.
//
//     take(x, {2, 0}) -> rows 2 and 0 of x;  scatter_add(rows, {1, 1}) -> row 1 is the sum of both, in their order
#pragma once

#include <kroton/graph/routine_call.hpp>
#include <kroton/runtime/device/elements.hpp>
#include <kroton/runtime/device/step_call.hpp>

#include <algorithm>
#include <bit>
#include <type_traits>

namespace kroton::runtime::on_device {

template <class T, class Index>
struct take_task {
  const T* table;
  const Index* index;
  T* result;
  std::int64_t row;
  KROTON_DEVICE void operator()(std::int64_t i) const {
    const row_position at(i, row);
    result[i] = table[static_cast<std::int64_t>(index[at.row]) * row + at.column];
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
/// The factor of scattered rows: a number, times a scalar if there is one.
template <class T>
struct row_factor {
  T number = T(1);
  const T* scale = nullptr;
  KROTON_DEVICE T operator()() const { return scale == nullptr ? number : static_cast<T>(number * *scale); }
};
/// Makes NaN of the rows to which nothing was added, if the factor of the others is no number or infinite: it
/// multiplies zeros there.
template <class T>
struct spread_nan {
  static constexpr std::int64_t most_tasks = 65536;
  row_factor<T> factor;
  const std::int64_t* targets;  // sorted
  T* result;
  std::int64_t count, row, elements;
  KROTON_DEVICE void operator()(std::int64_t i) const {
    const T nothing = factor() * T(0);
    if (nothing == T(0)) return;
    for (; i < elements; i += most_tasks)
      if (!has_sum(i / row)) result[i] = nothing;
  }

 private:
  KROTON_DEVICE bool has_sum(std::int64_t target) const {
    std::int64_t low = 0, high = count;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (targets[middle] < target) low = middle + 1;
      else high = middle;
    }
    return low < count && targets[low] == target;
  }
};
/// The first of the rows with one target adds all of them, in their order, so that the result is always the same.
/// `Onto`: the sum, times a factor, is added to what is there.
template <class T, bool Onto>
struct add_rows {
  const std::int64_t *targets, *positions;  // sorted by target, then by position
  const T* rows;
  T* result;
  std::int64_t count, row;
  row_factor<T> factor;
  KROTON_DEVICE void operator()(std::int64_t i) const {
    const row_position at(i, row);
    const std::int64_t first = at.row, column = at.column, target = targets[first];
    if (first > 0 && targets[first - 1] == target) return;
    T sum = rows[positions[first] * row + column];
    for (std::int64_t next = first + 1; next < count && targets[next] == target; ++next)
      sum += rows[positions[next] * row + column];
    T& to = result[target * row + column];
    if constexpr (!Onto) to = sum;
    else if constexpr (std::is_integral_v<T>) to += sum;
    else to += factor() * sum;
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

/// Bits of the numbers in [0, limit), at least one.
inline int bits_below(std::int64_t limit) {
  return std::max(1,
                  static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(1, limit) - 1))));
}
/// The parameters of the step are the number of rows, the elements of a row, and those of the result. `Onto`: the rows
/// are scaled and added to a tensor, see gemm_form.
template <class T, class Index, bool Onto, class Launch>
void scatter_add_rows(const Launch& launch, const step_call& call) {
  const bound_step& b = call.bound;
  const auto at = [&](int operand) {
    return reinterpret_cast<T*>(b.operands[static_cast<std::size_t>(operand)].start);
  };
  const std::int64_t count = b.parameters[0], row = b.parameters[1], elements = b.parameters[2];
  const gemm_form& form = call.what.product;
  T* const result = at(2);
  if (!Onto || form.added < 0) launch.threads(elements, clear_task<T>{result});
  else if (at(form.added + 1) != result)
    launch.threads(elements, kroton::graph::copy_task<T>{at(form.added + 1), result});
  row_factor<T> factor;
  if constexpr (Onto && !std::is_integral_v<T>)
    factor = {static_cast<T>(form.alpha), form.alpha_scale < 0 ? nullptr : at(form.alpha_scale + 1)};
  const std::int64_t* targets = nullptr;
  if (count * row > 0) {
    auto* const numbers = reinterpret_cast<std::int64_t*>(call.workspace);
    launch.threads(count,
                   number_rows<Index>{reinterpret_cast<const Index*>(b.operands[0].start), numbers, numbers + count});
    const std::int64_t *rows = numbers, *own = numbers + count;
    launch.sort_by_key(rows, numbers + 2 * count, own, numbers + 3 * count, count, bits_below(elements / row),
                       reinterpret_cast<std::byte*>(numbers + 4 * count));
    targets = numbers + 2 * count;
    launch.threads(count * row, add_rows<T, Onto>{targets, numbers + 3 * count, at(1), result, count, row, factor});
  }
  if constexpr (Onto && !std::is_integral_v<T>)
    if (factor.scale != nullptr)
      launch.threads(std::min(elements, spread_nan<T>::most_tasks),
                     spread_nan<T>{factor, targets, result, count, row, elements});
}
/// Bytes of workspace for targets and positions, twice, and for sorting.
template <class Launch>
std::int64_t scatter_workspace(device_stream& stream, const step_call& call) {
  const auto& parameters = call.bound.parameters;
  return parameters[0] * 4 * static_cast<std::int64_t>(sizeof(std::int64_t)) +
         Launch(stream, call.name())
             .template sort_workspace<std::int64_t, std::int64_t>(
                 parameters[0], bits_below(parameters[2] / std::max<std::int64_t>(1, parameters[1])));
}

}  // namespace kroton::runtime::on_device
