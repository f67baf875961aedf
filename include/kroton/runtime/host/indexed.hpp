// This header reads rows by index, and adds rows at indices, on the host. The indices were checked before.
//
//     take(x, {2, 0}) -> rows 2 and 0 of x;  scatter_add(rows, {1, 1}) -> row 1 is the sum of both, in their order
#pragma once

#include <kroton/arithmetic/simd/simd.hpp>
#include <kroton/runtime/host/fused.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace kroton::runtime::on_host {

/// Reads the elements [begin, end). If `streams`, the result goes around the caches.
template <class T, class Index>
void take_elements(const T* table, const Index* index, T* result, std::int64_t begin, std::int64_t end, bool streams) {
  const auto one = [&](std::int64_t i) { return table[static_cast<std::int64_t>(index[i])]; };
  if constexpr (std::is_arithmetic_v<T> && sizeof(T) >= 4)
    if (streams) {
      using pack = simd::pack<T, simd::native_bytes / static_cast<int>(sizeof(T))>;
      while (begin < end && std::bit_cast<std::uintptr_t>(result + begin) % simd::native_bytes != 0)
        result[begin] = one(begin), ++begin;
      for (; begin + pack::size <= end; begin += pack::size) {
        T taken[pack::size];
        for (int i = 0; i < pack::size; ++i) taken[i] = one(begin + i);
        simd::stream(result + begin, simd::load<pack>(taken));
      }
      simd::fence();
    }
  for (; begin < end; ++begin) result[begin] = one(begin);
}

template <class T, class Index>
void take_rows(const T* table, const Index* index, T* result, std::int64_t count, std::int64_t row, int threads) {
  if (row == 0) return;
  constexpr std::int64_t least = 65536;  // elements for which a thread is worth its start
  parallel_for(count, std::max(least / row, std::int64_t{1}), threads, [&](std::int64_t begin, std::int64_t end) {
    if (row == 1) {
      take_elements(table, index, result, begin, end, count >= uncached_elements);
    } else {
      for (std::int64_t i = begin; i < end; ++i)
        std::memcpy(result + i * row, table + static_cast<std::int64_t>(index[i]) * row,
                    static_cast<std::size_t>(row) * sizeof(T));
    }
  });
}

template <class T, class Index>
void scatter_add_rows(const Index* index, const T* rows, T* result, std::int64_t count, std::int64_t row,
                      std::int64_t table_rows) {
  std::fill_n(result, table_rows * row, T(0));
  if (row == 1) {
    for (std::int64_t i = 0; i < count; ++i) result[static_cast<std::int64_t>(index[i])] += rows[i];
    return;
  }
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t j = 0; j < row; ++j) result[static_cast<std::int64_t>(index[i]) * row + j] += rows[i * row + j];
}

}  // namespace kroton::runtime::on_host
