// This header reads rows by index, and adds rows at indices, on the host. The indices were checked before.
//
//     take(x, {2, 0}) -> rows 2 and 0 of x;  scatter_add(rows, {1, 1}) -> row 1 is the sum of both, in their order
#pragma once

#include <kroton/graph/ops/scatter_onto.hpp>
#include <kroton/graph/ops/take.hpp>
#include <kroton/arithmetic/simd/simd.hpp>
#include <kroton/runtime/host/fused.hpp>
#include <kroton/runtime/program/bound_step.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace kroton::runtime::on_host {

/// Elements for which a thread is worth its start.
inline constexpr std::int64_t least_copied = 65536;

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
void take_rows(const bound_step& b, int threads) {
  const auto* const table = reinterpret_cast<const T*>(b.operands[0].start);
  const auto* const index = reinterpret_cast<const Index*>(b.operands[1].start);
  auto* const result = reinterpret_cast<T*>(b.operands[2].start);
  const std::int64_t count = b.parameters[0], row = b.parameters[1];
  if (row == 0) return;
  parallel_for(count, std::max(least_copied / row, std::int64_t{1}), threads,
               [&](std::int64_t begin, std::int64_t end) {
                 if (row == 1) {
                   take_elements(table, index, result, begin, end, count >= uncached_elements);
                 } else {
                   for (std::int64_t i = begin; i < end; ++i)
                     std::memcpy(result + i * row, table + static_cast<std::int64_t>(index[i]) * row,
                                 static_cast<std::size_t>(row) * sizeof(T));
                 }
               });
}

/// Adds `scaled` of the rows to those of the result at the indices, one after the other.
template <class T, class Index, class Scaled>
void add_rows(const Index* index, const T* rows, T* result, std::int64_t count, std::int64_t row,
              const Scaled& scaled) {
  if (row == 1) {
    for (std::int64_t i = 0; i < count; ++i) result[static_cast<std::int64_t>(index[i])] += scaled(rows[i]);
    return;
  }
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t j = 0; j < row; ++j)
      result[static_cast<std::int64_t>(index[i]) * row + j] += scaled(rows[i * row + j]);
}
template <class T, class Index>
void add_rows(const Index* index, const T* rows, T* result, std::int64_t count, std::int64_t row) {
  add_rows(index, rows, result, count, row, [](const T& x) { return x; });
}

/// The positions of neighbouring rows, in lists of those with the same index.
template <class Index>
class rows_by_index {
 public:
  static constexpr int most = 1024;

  /// Makes the lists of `count` rows.
  void be_of(const Index* index, int count) {
    constexpr std::uint64_t multiplier = 0x9E3779B97F4A7C15u;  // spreads neighbouring indices
    std::fill_n(slots_, slots, none);
    lists_ = 0;
    for (int i = 0; i < count; ++i) {
      std::uint64_t at = static_cast<std::uint64_t>(index[i]) * multiplier >> (64 - log_slots);
      while (slots_[at] != none && index[slots_[at]] != index[i]) at = (at + 1) % slots;
      next_[i] = none;
      if (slots_[at] == none) slots_[at] = first_[lists_++] = static_cast<std::int16_t>(i);
      else next_[last_[slots_[at]]] = static_cast<std::int16_t>(i);
      last_[slots_[at]] = static_cast<std::int16_t>(i);
    }
  }
  int lists() const { return lists_; }
  /// The first position of a list, and the one after a position, -1: there is none.
  int first(int list) const { return first_[list]; }
  int next(int position) const { return next_[position]; }

 private:
  static constexpr int log_slots = 11, slots = 1 << log_slots;
  static constexpr std::int16_t none = -1;
  int lists_ = 0;
  std::int16_t slots_[slots], first_[most], next_[most], last_[most];  // `last_`: of a list, by its first position
};

/// Adds the rows, times `factor`, to those of the result at the indices. Of long rows, those that have an index in
/// common are first added up, because each of them may be too small to change the result.
template <class T, class Index>
void add_multiples_of_rows(const Index* index, const T* rows, T* result, std::int64_t count, std::int64_t row,
                           T factor) {
  constexpr std::int64_t short_row = 8, together = 64;
  if (row < short_row) return add_rows(index, rows, result, count, row, [=](T x) { return factor * x; });
  rows_by_index<Index> by_index;
  for (std::int64_t begin = 0; begin < count; begin += by_index.most) {
    by_index.be_of(index + begin, static_cast<int>(std::min<std::int64_t>(by_index.most, count - begin)));
    const T* from = rows + begin * row;
    for (int l = 0; l < by_index.lists(); ++l) {
      const int first = by_index.first(l);
      T* to = result + static_cast<std::int64_t>(index[begin + first]) * row;
      for (std::int64_t j = 0; j < row; j += together) {
        const std::int64_t past = std::min(j + together, row);
        T sums[together] = {};
        for (int i = first; i >= 0; i = by_index.next(i))
          for (std::int64_t k = j; k < past; ++k) sums[k - j] += from[i * row + k];
        for (std::int64_t k = j; k < past; ++k) to[k] += factor * sums[k - j];
      }
    }
  }
}

/// Writes `kept`, or zeros where that is null, to `result`, if it does not lie there already.
template <class T>
void begin_with(const T* kept, T* result, std::int64_t elements, int threads) {
  if (kept == result) return;
  parallel_for(elements, least_copied, threads, [&](std::int64_t begin, std::int64_t end) {
    if (kept == nullptr) std::fill(result + begin, result + end, T(0));
    else std::copy(kept + begin, kept + end, result + begin);
  });
}

template <class T, class Index>
void scatter_add_rows(const bound_step& b, int threads) {
  T* const result = reinterpret_cast<T*>(b.operands[2].start);
  begin_with<T>(nullptr, result, b.parameters[2], threads);
  add_rows(reinterpret_cast<const Index*>(b.operands[0].start), reinterpret_cast<const T*>(b.operands[1].start), result,
           b.parameters[0], b.parameters[1]);
}
/// Makes NaN of the rows to which nothing was added.
template <class T, class Index>
void make_others_nan(const Index* index, T* result, std::int64_t count, std::int64_t row, std::int64_t elements) {
  std::vector<bool> has_sum(static_cast<std::size_t>(row == 0 ? 0 : elements / row));
  for (std::int64_t i = 0; i < count && row > 0; ++i) has_sum[static_cast<std::size_t>(index[i])] = true;
  for (std::int64_t i = 0; i < elements; ++i)
    if (!has_sum[static_cast<std::size_t>(i / row)]) result[i] = std::numeric_limits<T>::quiet_NaN();
}
/// The same onto a tensor, if there is one, with rows that are multiplied by a factor. If that is no number, or
/// infinite, it makes NaN of the zeros that are added to the other rows.
template <class T, class Index>
void scatter_rows_onto(const bound_step& b, int threads) {
  const auto form = gemm_form::of(b.attr);
  const auto given = [&](int operand) -> const T* {
    return operand < 0 ? nullptr : reinterpret_cast<const T*>(b.operands[static_cast<std::size_t>(operand) + 1].start);
  };
  const auto* const index = reinterpret_cast<const Index*>(b.operands[0].start);
  const T* const rows = reinterpret_cast<const T*>(b.operands[1].start);
  T* const result = reinterpret_cast<T*>(b.operands[2].start);
  const std::int64_t elements = b.parameters[2];
  begin_with(given(form.added), result, elements, threads);
  if constexpr (std::is_integral_v<T>) {
    add_rows(index, rows, result, b.parameters[0], b.parameters[1]);
  } else {
    const T factor = static_cast<T>(form.alpha) * (form.alpha_scale < 0 ? T(1) : *given(form.alpha_scale));
    add_multiples_of_rows(index, rows, result, b.parameters[0], b.parameters[1], factor);
    if (factor * 0 != 0) make_others_nan(index, result, b.parameters[0], b.parameters[1], elements);
  }
}

}  // namespace kroton::runtime::on_host
