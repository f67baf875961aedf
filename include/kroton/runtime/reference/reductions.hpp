// This header computes reductions in the reference.
#pragma once

#include <kroton/graph/graph.hpp>
#include <kroton/graph/ops.hpp>
#include <kroton/runtime/context/error.hpp>
#include <kroton/runtime/reference/tensor.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace kroton::reference {

/// For each element of a reduction's result, the positions of the elements that it reduces.
inline std::vector<std::vector<std::size_t>> reduced_groups(const node& n, const index_list& from,
                                                            const index_list& to) {
  std::vector<std::vector<std::size_t>> groups(size_of(to));
  for_each_index(from, [&, at = std::size_t{0}](const index_list& index) mutable {
    index_list kept;
    for (std::size_t axis = 0; axis < index.size(); ++axis)
      if (!reduction_form::of(n.attr).is_over(static_cast<int>(axis))) kept.push_back(index[axis]);
    groups[offset(to, kept)].push_back(at++);
  });
  return groups;
}

/// Replaces the factors by their product, rounded after each multiplication, to a float if it is `narrow`. It depends
/// on the order of the factors whether a part of the product is denormal or overflows, and most if the smallest factors
/// come first, or the largest.
inline void multiply_rounded(std::vector<double>& factors, bool narrow, bool ascends) {
  const auto size = [](double x) { return std::isnan(x) ? HUGE_VAL : std::abs(x); };
  std::sort(factors.begin(), factors.end(),
            [&](double x, double y) { return ascends ? size(x) < size(y) : size(y) < size(x); });
  double product = 1;
  for (double factor : factors) {
    product *= factor;
    if (narrow) product = static_cast<double>(static_cast<float>(product));
  }
  factors.assign(1, product);
}

/// The position of the largest (or smallest) element of `x`: the first of equal elements, or the first NaN if there is
/// one.
template <class T>
std::size_t extreme_position(const std::vector<T>& x, bool largest) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] != x[i]) return i;
    if (largest ? x[i] > x[best] : x[i] < x[best]) best = i;
  }
  return best;
}

/// The identity of max (`lowest`) or min for elements of `type`, as a `Number`.
template <class Number>
Number extreme(dtype type, bool lowest) {
  return with_element(type, [&]<class T>() -> Number {
    using limits = std::numeric_limits<T>;
    if constexpr (std::is_same_v<Number, double>)
      if (limits::has_infinity)
        return lowest ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    return static_cast<Number>(lowest ? limits::lowest() : limits::max());
  });
}

/// The value of node `n`, an argmax, argmin, max or min, for the elements `x`.
template <class Number>
Number extreme_value(const node& n, dtype type, const std::vector<Number>& x) {
  const bool largest = n.op->id == id_of<ops::max> || n.op->id == id_of<ops::argmax>;
  if (n.op->id == id_of<ops::argmax> || n.op->id == id_of<ops::argmin>) {
    if (x.empty()) throw shape_error(message("kroton: ", n.op->name, " of no elements; pass tensors with elements"));
    return static_cast<Number>(extreme_position(x, largest));
  }
  if (n.op->id != id_of<ops::max> && n.op->id != id_of<ops::min>)
    throw error(message("kroton: the reference interpreter does not know the reduction ", n.op->name,
                        "; give it a value in runtime/reference/reductions.hpp"));
  return x.empty() ? extreme<Number>(type, largest) : x[extreme_position(x, largest)];
}

/// The value of node `n`, a reduction, for the integers `x` of type `type`; sums and products wrap around.
inline std::int64_t reduced_integer(const node& n, dtype type, const std::vector<std::int64_t>& x) {
  if (n.op->id == id_of<ops::sum> || n.op->id == id_of<ops::prod>) {
    const bool adds = n.op->id == id_of<ops::sum>;
    std::uint64_t total = adds ? 0 : 1;
    for (std::int64_t v : x)
      total = adds ? total + static_cast<std::uint64_t>(v) : total * static_cast<std::uint64_t>(v);
    return static_cast<std::int64_t>(total);
  }
  if (!is_unsigned(type)) return extreme_value(n, type, x);
  return static_cast<std::int64_t>(extreme_value(n, type, std::vector<std::uint64_t>(x.begin(), x.end())));
}

/// The value of node `n`, a reduction, for the elements `x` of type `type`, which are floating-point numbers or bool.
inline double reduced_value(const node& n, dtype type, const std::vector<double>& x) {
  if (n.op->id == id_of<ops::sum> || n.op->id == id_of<ops::prod>) {
    const bool adds = n.op->id == id_of<ops::sum>;
    long double total = adds ? 0 : 1;
    for (double v : x) total = adds ? total + v : total * v;
    return static_cast<double>(total);
  }
  if (n.op->id == id_of<ops::all> || n.op->id == id_of<ops::any>) {
    const bool wanted = n.op->id == id_of<ops::any>;  // the value that decides
    for (double v : x)
      if ((v != 0) == wanted) return wanted ? 1 : 0;
    return wanted ? 0 : 1;
  }
  return extreme_value(n, type, x);
}

}  // namespace kroton::reference
