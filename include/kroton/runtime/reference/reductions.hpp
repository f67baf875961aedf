// Values of reductions in the reference interpreter.
#pragma once

#include <kroton/graph/graph.hpp>
#include <kroton/graph/ops.hpp>
#include <kroton/runtime/error.hpp>

#include <limits>
#include <string>
#include <vector>

namespace kroton::reference {

/// The bits of an integer that a double holds, so that sums and products wrap as those of the narrow types
/// do.
inline std::uint64_t bits_of(double value) {
  return value < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                   : static_cast<std::uint64_t>(value);
}

/// The identity of max (`lowest`) or min for elements of `type`.
inline double extreme(dtype type, bool lowest) {
  return with_element(type, [&]<class T>() -> double {
    using limits = std::numeric_limits<T>;
    if (limits::has_infinity)
      return lowest ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    return static_cast<double>(lowest ? limits::lowest() : limits::max());
  });
}

/// Position of the largest (or smallest) of `x`: the first of equals, and the first NaN before all.
inline double extreme_position(const std::vector<double>& x, bool largest) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] != x[i]) return static_cast<double>(i);
    if (largest ? x[i] > x[best] : x[i] < x[best]) best = i;
  }
  return static_cast<double>(best);
}

/// Node `n`, a reduction, of the elements `x`.
inline double reduced_value(const node& n, const std::vector<double>& x) {
  if (n.op->id == id_of<ops::sum> || n.op->id == id_of<ops::prod>) {
    const bool adds = n.op->id == id_of<ops::sum>;
    if (is_floating(n.type)) {
      long double total = adds ? 0 : 1;
      for (double v : x) total = adds ? total + v : total * v;
      return static_cast<double>(total);
    }
    std::uint64_t total = adds ? 0 : 1;
    for (double v : x) total = adds ? total + bits_of(v) : total * bits_of(v);
    return wrapped(n.type, total);
  }
  if (n.op->id == id_of<ops::max> || n.op->id == id_of<ops::min>) {
    const bool largest = n.op->id == id_of<ops::max>;
    double result = extreme(n.type, largest);
    for (double v : x) {
      if (v != v) return v;
      if (largest ? v > result : v < result) result = v;
    }
    return result;
  }
  if (n.op->id == id_of<ops::all> || n.op->id == id_of<ops::any>) {
    const bool wanted = n.op->id == id_of<ops::any>;  // the value that decides
    for (double v : x)
      if ((v != 0) == wanted) return wanted ? 1 : 0;
    return wanted ? 0 : 1;
  }
  if (n.op->id == id_of<ops::argmax> || n.op->id == id_of<ops::argmin>) {
    if (x.empty())
      throw shape_error(message("kroton: ", n.op->name, " of no elements; pass tensors with elements"));
    return extreme_position(x, n.op->id == id_of<ops::argmax>);
  }
  throw error(message("kroton: the reference interpreter does not know the reduction ", n.op->name,
                      "; give it a value in runtime/reference/reductions.hpp"));
}

}  // namespace kroton::reference
