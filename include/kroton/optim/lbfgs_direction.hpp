// This header has the direction of L-BFGS, computed on products of remembered steps instead of on the steps themselves.
//
//     s[i] y[j], y[i] y[j], s[i] g, y[i] g  ->  a, b  ->  direction -(scale (g - sum of a[i] y[i]) + sum of b[i] s[i])
#pragma once

#include <kroton/expr/functions.hpp>

namespace kroton::typed {

/// The sum of the products of the elements of x and y, in double. If x has one axis more, its first, that of each row.
constexpr term product_sum(const term& x, const term& y) {
  const std::int64_t axes = all_axes(y.rank()) << (x.rank() - y.rank());
  return sum(cast(x, dtype::float64) * cast(y, dtype::float64), axes);
}
/// A vector along the first of `rank` axes, of which the others have extent 1.
constexpr term along_rows(const term& x, int rank) {
  shape s = x.extents();
  while (s.rank < rank) s.append(1);
  return reshape_term(x, s);
}

/// The products of the rows of the histories s and y with each other and with a gradient, and which rows count: they
/// are a ring, in which row k mod `rows` has the step k of `pairs`.
struct lbfgs_products {
  term sy, yy;        ///< matrices: s[i] y[j], y[i] y[j]
  term sg, yg;        ///< vectors: s[i] g, y[i] g
  term gg;            ///< g g
  term pairs, scale;  ///< numbers: how many steps there were, and of the last one s y / y y; 1 if there was none
  int rows = 0;
};
/// A direction, by its factors of the rows, and what the cost decreases by along it at first: minus its slope.
struct lbfgs_factors {
  term of_y, of_s, decrease;
};

/// The solution x of a triangular system, diagonal[i] x[i] + sum of m[i, j] x[j] over the j that are `before` i = q[i],
/// for the i that are valid, and 0 for others. Each sweep makes at least one number more the right one.
constexpr term solved(const term& m, const term& before, const term& diagonal, const term& is_valid, const term& q,
                      int rows) {
  term x = where(is_valid, q / diagonal, 0);
  for (int i = 1; i < rows; ++i) x = where(is_valid, (q - sum(where(before, m * x, 0), 2)) / diagonal, 0);
  return x;
}
/// The two loops of Nocedal (1980), from the last step to the first and back, as triangular systems: Byrd, Nocedal and
/// Schnabel, "Representations of quasi-Newton matrices", 1994.
constexpr lbfgs_factors direction_of(const lbfgs_products& p) {
  const term position = iota(*p.sy.owner, dtype::int64, p.rows), age = mod(p.pairs + (p.rows - 1) - position, p.rows),
             age_of_row = along_rows(age, 2), is_valid = age < p.pairs;
  const term diagonal = where(is_valid, sum(where(age == age_of_row, p.sy, 0), 2), 1);
  const term of_y = solved(p.sy, age < age_of_row, diagonal, is_valid, p.sg, p.rows);
  const term rest = diagonal * of_y - p.scale * (p.yg - sum(p.yy * of_y, 2));
  const term of_s =
      solved(transpose_term(p.sy, matrix_transpose(2)), age > age_of_row, diagonal, is_valid, rest, p.rows);
  return {of_y, of_s, p.scale * (p.gg - sum(of_y * p.yg, 1)) + sum(of_s * p.sg, 1)};
}

}  // namespace kroton::typed
