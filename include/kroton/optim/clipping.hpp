// This header bounds gradients: by value, and by the norm of all of them together.
#pragma once

#include <kroton/expr/results.hpp>
#include <kroton/optim/options.hpp>

namespace kroton::typed {
/// The square root of the sum of the squares of all elements, added in double if one of the lists is of double.
constexpr term norm_of_all(const gradient_list& gradients) {
  dtype type = dtype::float32;
  for (const term& g : gradients)
    if (g.type() == dtype::float64) type = dtype::float64;
  term total = sum(sqr(cast(gradients[0], type)), all_axes(gradients[0].rank()));
  for (int i = 1; i < gradients.size(); ++i)
    total = total + sum(sqr(cast(gradients[i], type)), all_axes(gradients[i].rank()));
  return sqrt(total);
}
}  // namespace kroton::typed

namespace kroton::optim {

/// Gradients whose elements are bounded by -limit and limit: `kt::optim::clip_by_value(kt::grad(cost, parameters()),
/// 1)`. The limit is not negative.
constexpr gradient_list clip_by_value(const gradient_list& gradients, double limit, unsigned line = __builtin_LINE()) {
  gradient_list bounded({}, gradients.parameters);
  if (gradients.empty() || !option_ranges(*gradients[0].owner, line).not_negative("limit", limit)) return gradients;
  for (const term& g : gradients) bounded.push_back(maximum(minimum(g, limit), -limit));
  return bounded;
}

/// The square root of the sum of the squares of all elements of gradients, of which there is at least one, as a scalar
/// of `T`: `kt::optim::global_norm(kt::grad(cost, parameters()))`.
template <class T = float>
constexpr auto global_norm(const gradient_list& gradients) {
  return expr<T, extents<>>(cast(norm_of_all(gradients), dtype_of<T>));
}

/// Gradients times one factor, so that their global norm is at most `limit`: `kt::optim::clip_by_norm(kt::grad(cost,
/// parameters()), 1)`. Pascanu, Mikolov and Bengio, "On the difficulty of training recurrent neural networks", 2013.
/// The limit is greater than 0.
constexpr gradient_list clip_by_norm(const gradient_list& gradients, double limit, unsigned line = __builtin_LINE()) {
  gradient_list scaled({}, gradients.parameters);
  if (gradients.empty() || !option_ranges(*gradients[0].owner, line).positive("limit", limit)) return gradients;
  const term norm = norm_of_all(gradients), factor = limit / maximum(norm, limit);
  for (const term& g : gradients) scaled.push_back(g * cast(factor, g.type()));
  return scaled;
}

}  // namespace kroton::optim
