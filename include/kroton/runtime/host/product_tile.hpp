// This header has the inner loop of matrix products: a few rows of x times a few packs of columns of y are summed in
// registers.
//
//     tile of 12 rows by 2 packs  ->  24 registers of sums; for each k 2 loads of y, 12 broadcasts of x, 24 products
#pragma once

#include <kroton/arithmetic/simd/simd.hpp>

#include <cstdint>
#include <utility>

namespace kroton::runtime::on_host {

/// A factor of a product, with the distances between its rows and its columns.
template <class T>
struct factor {
  const T* start;
  std::int64_t row, column;

  const T* at(std::int64_t i, std::int64_t j) const { return start + i * row + j * column; }
};

/// The result of a product: alpha * product + beta * z, in contiguous rows. Reads z only if beta is not 0.
template <class T>
struct product_result {
  T* z;
  std::int64_t row;
  T alpha, beta;
};

/// Whether a part of a register is loaded as fast as all of it.
inline constexpr bool loads_parts = simd::native_bytes >= 32;
/// The rows of a tile for packed factors: their sums leave registers for two packs of y and one of x.
template <class T>
inline constexpr int tile_rows = simd::native_bytes == 64 ? 12 : 6;
template <class T>
inline constexpr int tile_lanes = simd::lanes<T>;

template <class T, int Rows, int Packs, int Lanes = tile_lanes<T>>
class product_tile {
  using pack = simd::pack<T, Lanes>;

 public:
  KROTON_INLINE product_tile() {
    each([&](auto r, auto p) KROTON_INLINE_LAMBDA { sums_[r][p] = simd::broadcast<pack>(T(0)); });
  }
  /// Adds x[0], x[row], ... times y[0], y[1], ...
  KROTON_INLINE void add(const T* x, std::int64_t row, const T* y) {
    plain_array<pack, Packs> right;
    each_pack([&](auto p) KROTON_INLINE_LAMBDA { right[p] = simd::load<pack>(y + p * pack::size); });
    add(x, row, right);
  }
  /// The same, but y is not read beyond `columns`, which fill at most one register.
  KROTON_INLINE void add_first(const T* x, std::int64_t row, const T* y, int columns) {
    const plain_array<pack, Packs> right = {simd::load_partial<pack>(y, columns)};
    add(x, row, right);
  }
  /// Writes the first `columns` columns.
  KROTON_INLINE void write(const product_result<T>& to, std::int64_t columns) const {
    const pack alpha = simd::broadcast<pack>(to.alpha), beta = simd::broadcast<pack>(to.beta);
    const bool reads = to.beta != T(0);
    if (columns >= Packs * pack::size)
      each([&](auto r, auto p) KROTON_INLINE_LAMBDA {
        T* z = to.z + r * to.row + p * pack::size;
        const pack product = alpha * sums_[r][p];
        simd::store(z, reads ? simd::fma(beta, simd::load<pack>(z), product) : product);
      });
    else
      each([&](auto r, auto p) KROTON_INLINE_LAMBDA {
        const std::int64_t left = columns - p * pack::size;
        const int count = static_cast<int>(left < 0 ? 0 : left < pack::size ? left : pack::size);
        T* z = to.z + r * to.row + p * pack::size;
        const pack product = alpha * sums_[r][p];
        simd::store_partial(z, reads ? simd::fma(beta, simd::load_partial<pack>(z, count), product) : product, count);
      });
  }

 private:
  plain_array<plain_array<pack, Packs>, Rows> sums_;

  KROTON_INLINE void add(const T* x, std::int64_t row, const plain_array<pack, Packs>& right) {
    each_row([&](auto r) KROTON_INLINE_LAMBDA {
      const pack left = simd::broadcast<pack>(x[r * row]);
      each_pack([&](auto p) KROTON_INLINE_LAMBDA { sums_[r][p] = simd::fma(left, right[p], sums_[r][p]); });
    });
  }

  // Calls are written out instead of loops, because compilers keep an array that a loop indexes in memory.
  template <class Body>
  KROTON_INLINE static void each_row(const Body& body) {
    [&]<int... R>(std::integer_sequence<int, R...>) KROTON_INLINE_LAMBDA {
      (body(std::integral_constant<int, R>()), ...);
    }
    (std::make_integer_sequence<int, Rows>());
  }
  template <class Body>
  KROTON_INLINE static void each_pack(const Body& body) {
    [&]<int... P>(std::integer_sequence<int, P...>) KROTON_INLINE_LAMBDA {
      (body(std::integral_constant<int, P>()), ...);
    }
    (std::make_integer_sequence<int, Packs>());
  }
  template <class Body>
  KROTON_INLINE static void each(const Body& body) {
    each_row([&](auto r) KROTON_INLINE_LAMBDA { each_pack([&](auto p) KROTON_INLINE_LAMBDA { body(r, p); }); });
  }
};

/// Multiplies a tile of packed factors, which have `Rows` numbers of x and `Packs` registers of y for each of `depth`
/// inner indices.
template <class T, int Rows, int Packs>
[[gnu::noinline]] void multiply_packed_tile(std::int64_t depth, const T* x, const T* y, const product_result<T>& to,
                                            std::int64_t columns) {
  product_tile<T, Rows, Packs> tile;
  for (std::int64_t l = 0; l < depth; ++l) tile.add(x + l * Rows, 1, y + l * (Packs * tile_lanes<T>));
  tile.write(to, columns);
}

/// The factors of a plain tile that may lie in no cache. While the tile is multiplied, it prefetches the rows of x that
/// the next tile reads, or the columns of y that the next panel reads.
struct prefetched {
  bool x = false, y = false;
};
/// Multiplies a tile of factors that are not packed; rows of y must be contiguous.
template <class T, int Rows, int Packs, int Lanes>
[[gnu::noinline]] void multiply_plain_tile(std::int64_t depth, const factor<T>& x, const T* y, std::int64_t y_row,
                                           const product_result<T>& to, std::int64_t columns, prefetched ahead) {
  constexpr std::int64_t line = 64 / sizeof(T);
  product_tile<T, Rows, Packs, Lanes> tile;
  const T* left = x.start;
  for (std::int64_t l = 0; l < depth;) {
    const std::int64_t count = l + line < depth ? line : depth - l;
    if (ahead.x)
      for (std::int64_t i = 0; i < (x.column == 1 ? Rows : count); ++i)
        __builtin_prefetch(x.column == 1 ? left + (Rows + i) * x.row : left + i * x.column + line);
    if (ahead.y)
      for (std::int64_t i = 0; i < count; ++i) __builtin_prefetch(y + i * y_row + Packs * Lanes);
    for (const std::int64_t end = l + count; l < end; ++l, left += x.column, y += y_row)
      if constexpr (Packs == 1 && loads_parts) tile.add_first(left, x.row, y, static_cast<int>(columns));
      else tile.add(left, x.row, y);
  }
  tile.write(to, columns);
}

}  // namespace kroton::runtime::on_host
