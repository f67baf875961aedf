// This header has the operations of the reference that move elements and compute nothing, and the check of the indices
// by which they do.
//
//     transpose of (2, 3), elements 0 1 2, 3 4 5  ->  (3, 2), elements 0 3, 1 4, 2 5
#pragma once

#include <kroton/graph/graph.hpp>
#include <kroton/runtime/reference/extents.hpp>

#include <algorithm>

namespace kroton::reference {

/// The values of the operands of node `n` of a graph.
struct operand_values {
  const graph& owner;
  const node& n;
  const indexed_vector<reference_tensor>& values;

  const reference_tensor& operator[](int i) const { return values[owner.operands[n.first + i]]; }
};

/// Copies element `j` of `x` to element `i` of `y`.
inline void copy(reference_tensor& y, std::size_t i, const reference_tensor& x, std::size_t j) {
  y.values[i] = x.values[j];
  if (!y.integers.empty()) y.integers[i] = x.integer(j);
}
inline void copy_all(reference_tensor& y, const reference_tensor& x) {
  for (std::size_t i = 0; i < y.values.size(); ++i) copy(y, i, x, i);
}
/// Copies row `i` of `x` to `y`.
inline void copy_row(reference_tensor& y, const reference_tensor& x, std::int64_t i) {
  for (std::size_t j = 0; j < y.values.size(); ++j) copy(y, j, x, static_cast<std::size_t>(i) * y.values.size() + j);
}
/// Writes the integer `bits`, as an element of `type`, to element `i` of `y`.
inline void put(dtype type, reference_tensor& y, std::size_t i, std::int64_t bits) {
  if (is_integer(type)) y.integers[i] = bits = wrapped(type, bits);
  y.values[i] = nearest_double(type, type == dtype::boolean ? bits != 0 : bits);
}

inline void broadcast(const reference_tensor& x, reference_tensor& y) {
  std::size_t at = 0;
  for_each_index(y.extents, [&](const index_list& i) { copy(y, at++, x, offset(x.extents, i)); });
}

inline void transpose(const node& n, const reference_tensor& x, reference_tensor& y) {
  std::size_t at = 0;
  for_each_index(y.extents, [&](const index_list& index) {
    index_list from(index.size());
    for (int i = 0; i < static_cast<int>(index.size()); ++i)
      from[permuted_axis(transpose_form::of(n.attr).order, i)] = index[i];
    copy(y, at++, x, offset(x.extents, from));
  });
}

/// The index in the larger tensor, where a slice reads and an embedding writes.
inline index_list outer_index(const node& n, const extent_values& extents, index_list index) {
  const auto form = slice_form::of(n.attr);
  std::int64_t& i = index[form.axis];
  i = extents(form.first) + i * form.step;
  return index;
}
inline void slice(const node& n, const extent_values& extents, const reference_tensor& x, reference_tensor& y) {
  std::size_t at = 0;
  for_each_index(y.extents,
                 [&](const index_list& index) { copy(y, at++, x, offset(x.extents, outer_index(n, extents, index))); });
}
inline void embed(const node& n, const extent_values& extents, const reference_tensor& x, reference_tensor& y) {
  std::size_t at = 0;
  for_each_index(x.extents,
                 [&](const index_list& index) { copy(y, offset(y.extents, outer_index(n, extents, index)), x, at++); });
}

inline void concatenate(const operand_values& operands, reference_tensor& y) {
  const int axis = concatenate_form::of(operands.n.attr).axis;
  std::int64_t first = 0;
  for (int i = 0; i < operands.n.count; ++i) {
    const reference_tensor& x = operands[i];
    std::size_t at = 0;
    for_each_index(x.extents, [&](index_list index) {
      index[axis] += first;
      copy(y, offset(y.extents, index), x, at++);
    });
    first += x.extents[axis];
  }
}

/// Throws index_error for the first index that is not in [0, bound).
inline void check_indices(dtype type, const reference_tensor& index, std::int64_t bound) {
  for (std::size_t i = 0; i < index.values.size(); ++i)
    if (index.integer(i) < 0 || index.integer(i) >= bound)  // indices of uint64 beyond int64 are negative here
      throw index_error(message("kroton: index ", text_of(type, index.integer(i)), " is outside [0, ", bound,
                                "); pass indices of rows that there are"));
}
inline void take(const reference_tensor& x, const reference_tensor& index, reference_tensor& y) {
  const std::size_t row = size_of(x.extents) / static_cast<std::size_t>(std::max<std::int64_t>(x.extents[0], 1));
  for (std::size_t i = 0; i < index.values.size(); ++i)
    for (std::size_t j = 0; j < row; ++j) copy(y, i * row + j, x, static_cast<std::size_t>(index.integer(i)) * row + j);
}

}  // namespace kroton::reference
