// Rows on which rewrites are tried.
#pragma once

#include "rewrites.hpp"

namespace test {

/// Rows of three whose exponentials overflow, vanish, are no numbers.
inline const std::vector<numbers> rows = {{1, 2, 3},          {800, 799, 1},    {-800, -801, -900}, {1e30, -1e30, 0},
                                          {0, 0, 0},          {tiny, -tiny, 0}, {-inf, 0, 1},       {-inf, -inf, -inf},
                                          {inf, 0, 1},        {inf, inf, -inf}, {quiet_nan, 0, 1},  {-800, 800, 0},
                                          {1e30, 1e30, 1e30}, {-inf, inf, 0},   {40, 0, -40}};
inline tensor rows_tensor() {
  numbers all;
  for (const numbers& row : rows) all.insert(all.end(), row.begin(), row.end());
  return matrix(static_cast<std::int64_t>(rows.size()), 3, all);
}
/// log(sum(exp(row - taken)))
inline real log_sum_exp(const numbers& row, real taken = 0) {
  real total = -inf;
  for (double x : row) total = std::isnan(x) || std::isnan(total) ? quiet_nan : log_add(total, x - taken);
  return total;
}

}  // namespace test
