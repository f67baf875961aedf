// This header multiplies matrices whose extents are small numbers, without a library. The compiler knows the extents
// and unrolls the inner loops.
//
//     (3, 3) by (3, 3)  ->  27 products and sums in registers
#pragma once

#include <kroton/runtime/host/accumulate.hpp>

namespace kroton::runtime::on_host {

/// A product of matrices (m, k) and (k, n), and the distances between rows and columns of the factors. The result is
/// contiguous.
struct fixed_extents {
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t x_row = 0, x_column = 0, y_row = 0, y_column = 0;

  constexpr bool has_contiguous_columns() const { return y_column == 1 || n == 1; }
  friend constexpr bool operator==(const fixed_extents&, const fixed_extents&) = default;
  /// The transposed product, y' x', whose result lies in memory in the same way if it is a vector.
  constexpr fixed_extents transposed() const { return {n, m, k, y_column, y_row, x_column, x_row}; }
};

/// The lanes of the largest register that `n` numbers fill, or 1 if they fill none.
template <class T>
constexpr int lanes_within(std::int64_t n) {
  int lanes = simd::lanes<T>;
  while (lanes > n) lanes /= 2;
  return lanes * static_cast<int>(sizeof(T)) >= 16 ? lanes : 1;
}

/// Calls `body` with the numbers below `Count` as constants, because compilers keep an array that a loop indexes in
/// memory.
template <int Count, class Body>
KROTON_INLINE void for_constants(const Body& body) {
  [&]<int... I>(std::integer_sequence<int, I...>) KROTON_INLINE_LAMBDA {
    (body(std::integral_constant<int, I>()), ...);
  }
  (std::make_integer_sequence<int, Count>());
}

/// Whether elements of y that are not contiguous are loaded one by one, into registers of few lanes. Otherwise y is
/// copied first, and whole registers are loaded from the copy.
template <class T>
constexpr bool loads_apart(const fixed_extents& e) {
  return lanes_within<T>(e.n) <= 4;
}

/// A product in which the columns of y are contiguous, or are loaded one by one. Registers overlap where they do not
/// divide the columns, and tiles where they do not divide the rows. An element in an overlap is computed twice, from
/// the same numbers in the same order.
template <class T, fixed_extents E>
class fixed_product {
  static constexpr int lanes = lanes_within<T>(E.n), all_packs = (static_cast<int>(E.n) + lanes - 1) / lanes;
  static constexpr int most_packs = simd::native_bytes == 64 ? 4 : 2, most_sums = 6 * most_packs;
  static constexpr int packs = all_packs < most_packs ? all_packs : most_packs,
                       panels = (all_packs + packs - 1) / packs;
  static constexpr int tiles = (static_cast<int>(E.m) * packs + most_sums - 1) / most_sums;
  static constexpr int rows = (static_cast<int>(E.m) + tiles - 1) / tiles;
  /// Where a tile has few elements, each has several sums, which do not wait for one another.
  static constexpr int chains = E.k < 16 || rows * packs > 4 ? 1 : 4;
  using pack = simd::pack<T, lanes>;

 public:
  /// Writes z = alpha x y if `Scaled`, else z = x y.
  template <bool Scaled>
  KROTON_INLINE static void run(const T* x, const T* y, T* z, T alpha) {
    for (int panel = 0; panel < panels; ++panel)
      for (int tile = 0; tile < tiles; ++tile) {
        const std::int64_t row = earlier(tile * rows, E.m - rows);
        multiply_tile<Scaled>(x + row * E.x_row, y, z + row * E.n, panel, alpha);
      }
  }

 private:
  static constexpr std::int64_t earlier(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
  static constexpr std::int64_t column(int panel, int p) { return earlier((panel * packs + p) * lanes, E.n - lanes); }

  KROTON_INLINE static pack load(const T* from) {
    if constexpr (E.has_contiguous_columns()) return simd::load<pack>(from);
    else return simd::load_strided<pack>(from, E.y_column);
  }
  template <bool Scaled>
  KROTON_INLINE static void multiply_tile(const T* x, const T* y, T* z, int panel, T alpha) {
    plain_array<plain_array<plain_array<pack, packs>, rows>, chains> sums;
    each([&](auto r, auto p) KROTON_INLINE_LAMBDA {
      for_constants<chains>([&](auto c) KROTON_INLINE_LAMBDA { sums[c][r][p] = simd::broadcast<pack>(T(0)); });
    });
    const auto add = [&](auto c, std::int64_t l) KROTON_INLINE_LAMBDA {
      plain_array<pack, packs> right;
      for_constants<packs>(
          [&](auto p) KROTON_INLINE_LAMBDA { right[p] = load(y + l * E.y_row + column(panel, p) * E.y_column); });
      for_constants<rows>([&](auto r) KROTON_INLINE_LAMBDA {
        const pack left = simd::broadcast<pack>(x[r * E.x_row + l * E.x_column]);
        for_constants<packs>([&](auto p)
                                 KROTON_INLINE_LAMBDA { sums[c][r][p] = simd::fma(left, right[p], sums[c][r][p]); });
      });
    };
    if constexpr (E.k <= 8) {
      for_constants<static_cast<int>(E.k)>([&](auto l)
                                               KROTON_INLINE_LAMBDA { add(std::integral_constant<int, 0>(), l); });
    } else {
      std::int64_t l = 0;
      for (; l + chains <= E.k; l += chains) for_constants<chains>([&](auto c) KROTON_INLINE_LAMBDA { add(c, l + c); });
      for (; l < E.k; ++l) add(std::integral_constant<int, 0>(), l);
    }
    each([&](auto r, auto p) KROTON_INLINE_LAMBDA {
      for_constants<chains - 1>([&](auto c)
                                    KROTON_INLINE_LAMBDA { sums[0][r][p] = sums[0][r][p] + sums[c + 1][r][p]; });
      simd::store(z + r * E.n + column(panel, p),
                  Scaled ? simd::broadcast<pack>(alpha) * sums[0][r][p] : sums[0][r][p]);
    });
  }
  template <class Body>
  KROTON_INLINE static void each(const Body& body) {
    for_constants<rows>(
        [&](auto r) KROTON_INLINE_LAMBDA { for_constants<packs>([&](auto p) KROTON_INLINE_LAMBDA { body(r, p); }); });
  }
};

/// The sums of `Count` products of numbers from `x` and `y` on, in `Lanes` lanes. Larger registers come first.
template <int Lanes, std::int64_t Count, class T>
KROTON_INLINE simd::pack<T, Lanes> lanes_of_product(const T* x, const T* y) {
  using pack = simd::pack<T, Lanes>;
  constexpr int larger = 2 * Lanes;
  constexpr std::int64_t before = larger <= simd::lanes<T> ? Count / larger * larger : 0;
  pack sum = simd::broadcast<pack>(T(0));
  if constexpr (before > 0) {
    const auto halves = std::bit_cast<std::array<pack, 2>>(lanes_of_product<larger, before>(x, y));
    sum = halves[0] + halves[1];
  }
  for_constants<static_cast<int>((Count - before) / Lanes)>([&](auto p) KROTON_INLINE_LAMBDA {
    constexpr std::int64_t at = before + p * Lanes;
    sum = simd::fma(simd::load<pack>(x + at), simd::load<pack>(y + at), sum);
  });
  return sum;
}

/// The sum of the lanes of each of 4 packs of 4 floats, or of 2 packs of 2 doubles.
template <class T, int W>
KROTON_INLINE simd::pack<T, W> sums_of_lanes(const plain_array<simd::pack<T, W>, W>& x) {
  using pack = simd::pack<T, W>;
  const auto pairs = [](const pack& a, const pack& b) KROTON_INLINE_LAMBDA {
    return pack{{zip_lo(a.part[0], b.part[0]) + zip_hi(a.part[0], b.part[0])}};
  };
  if constexpr (pack::parts > 1) {
    plain_array<T, W> sums;
    for (int i = 0; i < W; ++i) sums[i] = reduce_lanes<addition>(x[i]);
    return simd::load<pack>(sums);
  } else if constexpr (W == 2) {
    return pairs(x[0], x[1]);
  } else {
    return pairs(pairs(x[0], x[2]), pairs(x[1], x[3]));
  }
}

/// Multiplies a matrix with contiguous rows by a contiguous vector. As many rows as a small register has lanes are
/// added up together; where they do not divide the rows, some rows are computed twice.
template <class T, fixed_extents E, bool Scaled>
KROTON_INLINE void multiply_fixed_rows(const T* x, const T* y, T* z, T alpha) {
  constexpr int few = 16 / static_cast<int>(sizeof(T));
  constexpr std::int64_t rest = E.k / few * few;  // the columns from here on are added one by one
  using small = simd::pack<T, few>;
  const auto row_of = [&](const T* row) KROTON_INLINE_LAMBDA { return lanes_of_product<few, rest>(row, y); };
  if constexpr (E.m >= few && E.k >= few) {
    for_constants<static_cast<int>((E.m + few - 1) / few)>([&](auto g) KROTON_INLINE_LAMBDA {
      constexpr std::int64_t first = g * few < E.m - few ? g * few : E.m - few;
      const T* const from = x + first * E.x_row;
      plain_array<small, few> rows;
      for_constants<few>([&](auto r) KROTON_INLINE_LAMBDA { rows[r] = row_of(from + r * E.x_row); });
      small sums = sums_of_lanes(rows);
      for_constants<static_cast<int>(E.k - rest)>([&](auto l) KROTON_INLINE_LAMBDA {
        sums =
            simd::fma(simd::load_strided<small>(from + rest + l, E.x_row), simd::broadcast<small>(y[rest + l]), sums);
      });
      simd::store(z + first, Scaled ? simd::broadcast<small>(alpha) * sums : sums);
    });
  } else {
    for (std::int64_t i = 0; i < E.m; ++i, x += E.x_row) {
      T sum = T(0);
      if constexpr (rest > 0) sum = reduce_lanes<addition>(row_of(x));
      for (std::int64_t l = rest; l < E.k; ++l) sum += x[l] * y[l];
      z[i] = Scaled ? alpha * sum : sum;
    }
  }
}

/// Multiplies matrices of the extents `E`. A factor that must be contiguous and is not is copied first.
template <class T, fixed_extents E, bool Scaled>
KROTON_INLINE void multiply_fixed(const T* x, const T* y, T* z, T alpha) {
  if constexpr (!E.has_contiguous_columns() && !loads_apart<T>(E)) {
    plain_array<T, static_cast<int>(E.k * E.n)> packed;
    for (std::int64_t l = 0; l < E.k; ++l)
      for (std::int64_t j = 0; j < E.n; ++j) packed[l * E.n + j] = y[l * E.y_row + j * E.y_column];
    fixed_product<T, fixed_extents{E.m, E.n, E.k, E.x_row, E.x_column, E.n, 1}>::template run<Scaled>(x, packed, z,
                                                                                                      alpha);
  } else if constexpr (E.n == 1 && E.m > 1 && E.x_row == 1) {
    fixed_product<T, E.transposed()>::template run<Scaled>(y, x, z, alpha);
  } else if constexpr (E.n == 1 && E.x_column == 1 && (E.y_row == 1 || E.k == 1)) {
    multiply_fixed_rows<T, E, Scaled>(x, y, z, alpha);
  } else {
    fixed_product<T, E>::template run<Scaled>(x, y, z, alpha);
  }
}

}  // namespace kroton::runtime::on_host
