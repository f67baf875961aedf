// This header measures slopes of operations by differences.
#pragma once

#include <kroton/graph/ops.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

namespace kroton::reference {

struct slope {
  double value = 0, error = HUGE_VAL;
};

/// Values of a function at x - h, x - h / 2, x, x + h / 2 and x + h.
using five_values = std::array<double, 5>;

/// The slope of a function at `x`, by central differences with steps of `h` and h / 2. The error is infinite at a kink,
/// where the difference between the slopes on both sides does not shrink with the step, and at a jump, where half the
/// step gives twice the slope.
inline slope difference(const five_values& f, double x, double h) {
  const auto sides = [&](std::size_t distance, double step, double& kink) {
    const double up = f[2 + distance], down = f[2 - distance], middle = f[2];
    kink = (up - middle) / ((x + step) - x) - (middle - down) / (x - (x - step));
    return (up - down) / ((x + step) - (x - step));
  };
  double kink = 0, narrow_kink = 0;
  const double wide = sides(2, h, kink), narrow = sides(1, h / 2, narrow_kink);
  const double rounding = 0x1p-51 * (std::abs(f[4]) + std::abs(f[0])) / h;
  slope found{narrow + (narrow - wide) / 3, std::abs(narrow - wide) + rounding};
  if (std::abs(narrow_kink) > 0.75 * std::abs(kink) && std::abs(narrow_kink) > 8 * rounding) found.error = HUGE_VAL;
  if (std::abs(narrow) > 1.5 * std::abs(wide) && std::abs(narrow) > 8 * rounding) found.error = HUGE_VAL;
  if (!std::isfinite(found.value) || std::isnan(found.error)) found.error = HUGE_VAL;
  return found;
}

/// The slope of node `n`, a map, in its operand `i`, where the operands have the values `x`.
inline slope slope_of(const node& n, indexed_vector<double> x, int i) {
  if (n.op->id == id_of<ops::cast> || n.op->id == id_of<ops::grad_clip>) return {1, 0};
  if (n.op->id == id_of<ops::grad_scale>) return {scale_form::of(n.attr).factor, 0};
  if (n.op->id == id_of<ops::maximum> || n.op->id == id_of<ops::minimum>) {  // of equal operands, the first has the
                                                                             // slope
    if (std::isnan(x[0]) || std::isnan(x[1])) return {};
    const bool is_first = n.op->id == id_of<ops::maximum> ? x[0] >= x[1] : x[0] <= x[1];
    return {is_first == (i == 0) ? 1.0 : 0.0, 0};
  }
  const double at = x[i];
  const auto f = [&](double value) {
    x[i] = value;
    return n.op->reference(n.type, x.data(), n.count);
  };
  slope best;
  for (double h : {1e-3 * std::abs(at), 1e-4 * std::max(1.0, std::abs(at)), 1e-5 * std::abs(at)}) {
    if (!(h > 0)) continue;
    const slope found = difference({f(at - h), f(at - h / 2), f(at), f(at + h / 2), f(at + h)}, at, h);
    if (found.error < best.error) best = found;
  }
  return best;
}

}  // namespace kroton::reference
