// This header multiplies large matrices: it packs blocks of both factors and multiplies tiles of them, by several
// threads. The addends of an element and their order depend on the extents alone.
//
//     z (512, 512) = x y  ->  blocks of x and y are copied in the order of reading; tiles of z are summed in registers
#pragma once

#include <kroton/runtime/program/parallel.hpp>
#include <kroton/runtime/host/product_pack.hpp>
#include <kroton/runtime/context/memory_block.hpp>

#include <algorithm>
#include <memory>
#include <new>

namespace kroton::runtime::on_host {

/// Memory for packed blocks, which a thread keeps as BLAS libraries do; null if the system has no memory.
inline void* packing_memory(std::size_t bytes) {
  constexpr std::align_val_t alignment{buffer_alignment};
  struct release {
    void operator()(std::byte* block) const { ::operator delete(block, alignment); }
  };
  static thread_local std::unique_ptr<std::byte, release> kept;
  static thread_local std::size_t room = 0;
  if (bytes <= room) return kept.get();
  kept.reset();
  room = 0;
  kept.reset(static_cast<std::byte*>(::operator new(bytes, alignment, std::nothrow)));
  if (kept != nullptr) room = bytes;
  return kept.get();
}

/// Multiplies matrices in blocks of at most `rows` of x and `columns` of y.
template <class T>
class packed_product {
  static constexpr std::int64_t high = tile_rows<T>, low = high / 3, wide = 2 * tile_lanes<T>, narrow = tile_lanes<T>;
  /// Tiles of rows that use a panel of y while it is in the first cache.
  static constexpr std::int64_t most_passes = 8;

 public:
  static constexpr std::int64_t most_rows = 22 * most_passes * high, most_columns = 2048;

  packed_product(const factor<T>& x, const factor<T>& y, const product_result<T>& to, int threads)
      : x_(x), y_(y), to_(to), threads_(threads) {}

  void run(std::int64_t m, std::int64_t n, std::int64_t k) {
    constexpr std::size_t least_bytes = 32768;
    const std::int64_t steps = (k + block_depth - 1) / block_depth;
    std::int64_t depth = (k + steps - 1) / steps, rows = std::min(m, most_rows), columns = std::min(n, most_columns);
    alignas(buffer_alignment) std::byte at_least[least_bytes];
    const auto bytes = [&] { return static_cast<std::size_t>((rows + up(columns)) * depth) * sizeof(T); };
    void* memory = bytes() <= least_bytes ? at_least : packing_memory(bytes());
    if (memory == nullptr) {  // the system has no memory; small blocks give the same result, but not as fast
      memory = at_least;
      rows = std::min(rows, high);
      columns = std::min(columns, wide);
      depth = static_cast<std::int64_t>(least_bytes / sizeof(T)) / (high + wide);
    }
    left_ = static_cast<T*>(memory);
    for (std::int64_t j = 0; j < n; j += columns)
      for (std::int64_t l = 0; l < k; l += depth) {
        columns_ = std::min(columns, n - j);
        depth_ = std::min(depth, k - l);
        for (std::int64_t i = 0; i < m; i += rows) {
          rows_ = std::min(rows, m - i);
          right_ = left_ + rows * depth_;
          pack(i, j, l, i == 0);
          multiply(i, j, l > 0);
        }
      }
  }

 private:
  factor<T> x_, y_;
  product_result<T> to_;
  int threads_;
  T *left_ = nullptr, *right_ = nullptr;
  std::int64_t rows_ = 0, columns_ = 0, depth_ = 0;

  static std::int64_t panels_of(std::int64_t columns) { return (columns + wide - 1) / wide; }
  /// The number of columns that are packed for `columns` columns: the last panel has one register or two.
  static std::int64_t up(std::int64_t columns) { return (columns + narrow - 1) / narrow * narrow; }
  std::int64_t grain(std::int64_t work) const { return work < (1 << 14) ? (1 << 14) / (work + 1) + 1 : 1; }

  void pack(std::int64_t i, std::int64_t j, std::int64_t l, bool has_new_columns) {
    const std::int64_t left = (rows_ + high - 1) / high, right = has_new_columns ? panels_of(columns_) : 0;
    parallel_for(left + right, grain(4 * high * depth_), threads_, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t p = begin; p < end; ++p)
        if (p < left) pack_left(p * high, {x_.at(i + p * high, l), x_.row, x_.column});
        else pack_right((p - left) * wide, {y_.at(l, j + (p - left) * wide), y_.row, y_.column});
    });
  }
  void pack_left(std::int64_t at, const factor<T>& from) {
    T* to = left_ + at * depth_;
    if (at + high <= rows_) return pack_rows<high>(to, from, depth_);
    const std::int64_t count = rows_ - at;
    std::int64_t i = 0;
    for (; i + low <= count; i += low) pack_rows<low>(to + i * depth_, {from.at(i, 0), from.row, from.column}, depth_);
    for (; i < count; ++i) pack_rows<1>(to + i * depth_, {from.at(i, 0), from.row, from.column}, depth_);
  }
  void pack_right(std::int64_t at, const factor<T>& from) {
    const std::int64_t count = std::min(wide, columns_ - at);
    pack_columns(right_ + at * depth_, from, depth_, count, up(count));
  }

  /// Threads divide the tiles. If they divided whole panels, or all rows of a panel, some threads would have much less
  /// work than others.
  void multiply(std::int64_t i, std::int64_t j, bool adds) {
    const std::int64_t all_passes = (rows_ + high - 1) / high, blocks = (all_passes + most_passes - 1) / most_passes;
    const std::int64_t passes = (all_passes + blocks - 1) / blocks, panels = panels_of(columns_);
    product_result<T> to = to_;
    to.z += i * to.row + j;
    if (adds) to.beta = T(1);
    parallel_for(all_passes * panels, grain(high * wide * depth_ / 4), threads_,
                 [&](std::int64_t begin, std::int64_t end) {
                   while (begin < end) {
                     const std::int64_t first = begin / (passes * panels) * passes;  // the first pass of this block of
                                                                                     // rows
                     const std::int64_t here = std::min(passes, all_passes - first), at = begin - first * panels;
                     const std::int64_t pass = at % here, count = std::min(here - pass, end - begin);
                     multiply_passes((first + pass) * high, count, at / here * wide, to);
                     begin += count;
                   }
                 });
  }
  void multiply_passes(std::int64_t row, std::int64_t count, std::int64_t column, product_result<T> to) const {
    const std::int64_t columns = std::min(wide, columns_ - column), end = std::min(row + count * high, rows_);
    to.z += column;
    if (columns > narrow) multiply_panel<2>(row, end, right_ + column * depth_, to, columns);
    else multiply_panel<1>(row, end, right_ + column * depth_, to, columns);
  }
  template <int Packs>
  void multiply_panel(std::int64_t row, std::int64_t end, const T* panel, const product_result<T>& to,
                      std::int64_t columns) const {
    const auto part = [&] { return product_result<T>{to.z + row * to.row, to.row, to.alpha, to.beta}; };
    for (; row + high <= end; row += high)
      multiply_packed_tile<T, high, Packs>(depth_, left_ + row * depth_, panel, part(), columns);
    for (; row + low <= end; row += low)
      multiply_packed_tile<T, low, Packs>(depth_, left_ + row * depth_, panel, part(), columns);
    for (; row < end; ++row) multiply_packed_tile<T, 1, Packs>(depth_, left_ + row * depth_, panel, part(), columns);
  }
};

}  // namespace kroton::runtime::on_host
