// This header reads rows by index, and adds rows at indices, on the host. The indices were checked before.
//
//     take(x, {2, 0}) -> rows 2 and 0 of x;  scatter_add(rows, {1, 1}) -> row 1 is the sum of both, in their order
#pragma once

#include <cstdint>
#include <cstring>

namespace kroton::runtime::on_host {

template <class T, class Index>
void take_rows(const T* table, const Index* index, T* result, std::int64_t count, std::int64_t row) {
  if (row == 0) return;
  for (std::int64_t i = 0; i < count; ++i)
    std::memcpy(result + i * row, table + static_cast<std::int64_t>(index[i]) * row,
                static_cast<std::size_t>(row) * sizeof(T));
}

template <class T, class Index>
void scatter_add_rows(const Index* index, const T* rows, T* result, std::int64_t count, std::int64_t row,
                      std::int64_t table_rows) {
  for (std::int64_t i = 0; i < table_rows * row; ++i) result[i] = T(0);
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t j = 0; j < row; ++j) result[static_cast<std::int64_t>(index[i]) * row + j] += rows[i * row + j];
}

}  // namespace kroton::runtime::on_host
