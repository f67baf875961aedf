// This header multiplies matrices whose extents are numbers in straight code. A product of many rows is done in tiles
// of a few, each a product of fixed extents; what is scaled or added joins it tile by tile.
//
//     (1000, 3) by (3, 3)  ->  125 products of (8, 3) by (3, 3)
#pragma once

#include <kroton/passes/program.hpp>
#include <kroton/runtime/host/distinct_products.hpp>
#include <kroton/runtime/program/bound_step.hpp>

namespace kroton::runtime::on_host {

/// The extents and strides of a product whose factor y is small; no extents if it has other code.
constexpr fixed_extents straight_extents(const step& s, const access* operands, extent_code inner) {
  constexpr std::int64_t most_inner = 4 * most_fixed_extent;
  step alone = s;
  alone.product.added = -1;
  const int row = s.space.rank - 2;
  alone.space[row] = 1;
  fixed_extents e = product_code_of(alone, operands, inner <= most_inner ? 1 : inner).extents;
  if (e.m == 0 || inner < 1) return {};
  e.m = s.space[row];
  e.k = inner;
  return e;
}

/// The same product as multiply_fixed, compiled once for all functions that have it, unless it is tiny.
template <class T, fixed_extents E, bool Scaled>
[[gnu::noinline]] void multiply_apart(const T* x, const T* y, T* z, T alpha) {
  multiply_fixed<T, E, Scaled>(x, y, z, alpha);
}
template <class T, fixed_extents E, bool Scaled>
KROTON_INLINE void multiply_small(const T* x, const T* y, T* z, T alpha) {
  if constexpr (E.m * E.n * E.k <= 64) multiply_fixed<T, E, Scaled>(x, y, z, alpha);
  else multiply_apart<T, E, Scaled>(x, y, z, alpha);
}

/// A product whose rows are shorter than a register. Each row is computed in a register, of which the last lanes are
/// written over the next rows, before these are computed.
///
///     z of 3 columns, registers of 4 floats  ->  z00 z01 z02 _, z10 z11 z12 _, ...
template <class T, fixed_extents E>
class narrow_product {
  static constexpr int lanes = 16 / static_cast<int>(sizeof(T));
  using pack = simd::pack<T, lanes>;

 public:
  static constexpr bool is_possible = E.n > 1 && E.n < lanes&& E.m >= 8 && E.k <= 8;

  template <bool Scaled>
  [[gnu::noinline]] static void run(const T* x, const T* y, T* z, T alpha) {
    plain_array<pack, static_cast<int>(E.k)> rows_of_y;
    for (std::int64_t l = 0; l < E.k; ++l) {
      T row[lanes] = {};
      for (std::int64_t j = 0; j < E.n; ++j) row[j] = y[l * E.y_row + j * E.y_column] * (Scaled ? alpha : T(1));
      rows_of_y[l] = simd::load<pack>(row);
    }
    const auto row_of = [&](std::int64_t i) KROTON_INLINE_LAMBDA {
      pack sums = simd::broadcast<pack>(x[i * E.x_row]) * rows_of_y[0];
      for_constants<static_cast<int>(E.k) - 1>([&](auto l) KROTON_INLINE_LAMBDA {
        sums = simd::fma(simd::broadcast<pack>(x[i * E.x_row + (l + 1) * E.x_column]), rows_of_y[l + 1], sums);
      });
      return sums;
    };
    constexpr std::int64_t whole = (E.m * E.n - lanes) / E.n + 1;  // rows whose registers end within the result
    for (std::int64_t i = 0; i < whole; ++i) simd::store(z + i * E.n, row_of(i));
    for (std::int64_t i = whole; i < E.m; ++i) simd::store_partial(z + i * E.n, row_of(i), static_cast<int>(E.n));
  }
};

/// The product of a step with the extents `E`, `What::step` is the step and `What::loops` are those over its leading
/// axes.
template <class T, fixed_extents E, class What>
class straight_product {
  static constexpr step what = What::what;
  static constexpr nest batch = What::value.loops;
  static constexpr gemm_form form = what.product;
  static constexpr std::int64_t tile = E.m <= most_fixed_extent ? E.m : 8, tiles = E.m / tile, rest = E.m % tile;
  static constexpr bool is_scaled = form.alpha != 1 || form.alpha_scale >= 0;

 public:
  KROTON_INLINE static void run(const nest_operand* operands) {
    const T alpha = factor(operands, form.alpha, form.alpha_scale);
    T* z = reinterpret_cast<T*>(operands[2].start);
    const T* added = form.added < 0 ? nullptr : reinterpret_cast<const T*>(operands[form.added + 1].start);
    const T beta = form.added < 0 ? T(0) : factor(operands, form.beta, form.beta_scale);
    for (std::int64_t b = 0; b < batch.rows; ++b) {
      const T* x = reinterpret_cast<const T*>(operands[0].start + batch.outer_offset(operands[0], b));
      const T* y = reinterpret_cast<const T*>(operands[1].start + batch.outer_offset(operands[1], b));
      if constexpr (form.added < 0 && narrow_product<T, E>::is_possible) {
        narrow_product<T, E>::template run<is_scaled>(x, y, z + b * E.m * E.n, alpha);
        continue;
      }
      const auto multiply = [&](auto rows, std::int64_t first) KROTON_INLINE_LAMBDA {
        const std::int64_t at = (b * E.m + first) * E.n;
        multiply_rows<rows>(x + first * E.x_row, y, z + at, alpha, added == nullptr ? added : added + at, beta);
      };
      for (std::int64_t t = 0; t < tiles; ++t) multiply(std::integral_constant<std::int64_t, tile>(), t * tile);
      if constexpr (rest > 0) multiply(std::integral_constant<std::int64_t, rest>(), tiles * tile);
    }
  }

 private:
  KROTON_INLINE static T factor(const nest_operand* operands, double number, int scale) {
    return static_cast<T>(number) * (scale < 0 ? T(1) : *reinterpret_cast<const T*>(operands[scale + 1].start));
  }
  /// Writes the product of some rows of x. What is added may lie where the result is written.
  template <std::int64_t Rows>
  KROTON_INLINE static void multiply_rows(const T* x, const T* y, T* z, T alpha, const T* added, T beta) {
    constexpr fixed_extents extents{Rows, E.n, E.k, E.x_row, E.x_column, E.y_row, E.y_column};
    if constexpr (form.added < 0) {
      multiply_small<T, extents, is_scaled>(x, y, z, alpha);
    } else {
      T product[Rows * E.n];
      multiply_small<T, extents, is_scaled>(x, y, product, alpha);
      for (std::int64_t i = 0; i < Rows * E.n; ++i) z[i] = product[i] + form.scaled_addend(alpha, beta, added[i]);
    }
  }
};

}  // namespace kroton::runtime::on_host
