// This header has L-BFGS, for costs that are the same function in each call. A call evaluates the cost once, and the
// line search is spread over calls.
//
//     call: cost and gradient at the parameters  ->  accepted: history, direction, first step along it
//                                                ->  rejected: a shorter step along the direction there is
//
// For each parameter it keeps the accepted point, its gradient, the direction, and two histories with a row for each of
// the last steps: s, the change of the parameter, and y, that of its gradient. The products of rows are kept as
// matrices of doubles, on which the recursion of L-BFGS runs, whatever the parameters are.
#pragma once

#include <kroton/optim/lbfgs_direction.hpp>
#include <kroton/optim/optimiser.hpp>

#include <algorithm>
#include <limits>

namespace kroton::optim {

/// Options of kt::optim::lbfgs.
struct lbfgs_options {
  int history = 10;        ///< how many steps are remembered, at least 1
  double decrease = 1e-4;  ///< a step is accepted with this part of the decrease that the slope promises
  constexpr bool are_in(const option_ranges& ranges) const {
    return ranges.positive("history", history) && ranges.weight("decrease", decrease);
  }
};

/// The updates of one call of kt::optim::lbfgs, and what the call found: `kt::outputs(step.cost).updates(step)`.
template <class T>
struct lbfgs_step : update_list {
  expr<T, extents<>> cost;            ///< at the point that was accepted last, by this call or before
  expr<T, extents<>> gradient_norm;   ///< the global norm of the gradient there
  expr<bool, extents<>> is_accepted;  ///< whether this call accepted the point where it evaluated the cost
};

/// L-BFGS (Liu and Nocedal 1989) with a backtracking line search, for a cost that is the same function in each call:
/// `kt::optim::lbfgs optimiser{this, {.history = 5}};`. A function of the model makes a call:
///
///     const auto step = optimiser(cost, parameters());
///     return kt::outputs(step.cost, step.gradient_norm).updates(step);
///
/// It evaluates `cost` where the parameters are, which can be a trial that it rejects, and leaves the next trial in
/// them. `step.cost` is the cost at the point that was accepted last, and grows by rounding only. At the end, a
/// function that returns `kt::updates(optimiser.accepted(parameters()))` puts that point into the parameters. A trial
/// whose cost or gradient is NaN or infinite is rejected; if it is the first point, the call changes nothing. The
/// parameters have at most 7 axes.
class lbfgs : public kept_for_parameters {
 public:
  constexpr explicit lbfgs(model* parent, const lbfgs_options& o = {}) : lbfgs(parent, "lbfgs", o) {}
  constexpr lbfgs(model* parent, const char* name, const lbfgs_options& o = {})
      : kept_for_parameters(parent, name, "steps", {"point", "gradient", "direction"}), options_(o) {
    declare_history();
  }
  constexpr lbfgs(model* parent, const char* name, const parameter_list& trained, const lbfgs_options& o = {})
      : kept_for_parameters(parent, name, trained, "steps", {"point", "gradient", "direction"}), options_(o) {
    declare_history();
  }

  /// The updates of one call, and what it found, for parameters that are declared before the optimiser. `cost` is a
  /// scalar expression. `rate` is the first step along a direction as a factor, and its length where the direction is
  /// that of the gradient, as it is at the beginning; a number, a scalar or a schedule.
  template <class C, class Rate = int>
  constexpr auto operator()(const C& cost, const parameter_list& parameters, const Rate& rate = 1,
                            unsigned line = __builtin_LINE()) const {
    constexpr complaint problem =
        std::is_same_v<C, gradient_list> ? complaint::lbfgs_cost : optimiser_problem<C, Rate>();
    if constexpr (problem != complaint::none) {
      reject<problem, lbfgs, C, Rate>();
      captured().problem = {mistake::refused};
      return nothing<float>();
    } else {
      const gradient_list gradients = grad(cost, parameters, line);
      if (!options_.are_in({captured(), line}) || !fits(gradients, parameters, captured(), line) ||
          captured().problem.what != mistake::none)
        return nothing<typename C::element>();
      array_list<change> changes;
      for (int i = 0; i < gradients.size(); ++i) {
        const term p = parameters.items[i];
        const dtype type = computed_in(p.type());
        changes.push_back({p, cast(p, type), cast(gradients[i], type), {}});
        for (int k = 0; k < names(); ++k) changes[i].kept.push_back(kept(k, p, line));
        if (!changes[i].kept[point].valid()) return nothing<typename C::element>();
      }
      const term length = step_rate<Rate>(captured(), rate, parameters, count(), line).in(dtype::float64);
      return call<typename C::element>(changes, cast(cost.untyped(), dtype::float64), length);
    }
  }
  /// The updates that put the point that was accepted last into the parameters; before the first call they change
  /// nothing.
  constexpr update_list accepted(const parameter_list& parameters, unsigned line = __builtin_LINE()) const {
    update_list list;
    for (const term& p : parameters.items) {
      const term known = kept(point, p, line);
      if (!known.valid()) return list;
      list.add(p, where(count() > 0, cast(known, p.type()), p));
    }
    return list;
  }

 private:
  /// What is kept for a parameter, by number.
  enum kept_name { point, gradient, direction, steps, slopes };
  /// A parameter in a call, in the type in which it is computed.
  struct change {
    term parameter, value, gradient;
    array_list<term> kept;
    constexpr term step() const { return value - kept[point]; }
    constexpr term slope() const { return gradient - kept[lbfgs::gradient]; }
  };
  /// The products of this call's gradient, step and change of the gradient.
  struct call_products {
    term gg, gd, sy, yy;
  };
  /// Whether the point of a call is accepted, whether the next direction is that of the gradient, and whether the
  /// direction stays.
  struct verdict {
    term is_idle, is_finite, is_accepted, rejections, is_steepest, is_kept;
  };
  struct histories {
    lbfgs_products products;
    array_list<term> steps, slopes;  // of each parameter
  };
  static constexpr int most_rejections = 20;  // along one direction

  lbfgs_options options_;
  term cost_, slope_, length_, square_, scale_, sy_, yy_, pairs_, rejections_;  // kept between calls

  /// Of the histories; there is one where a call refuses the option.
  constexpr int rows() const { return std::max(options_.history, 1); }
  constexpr term number(const char* name, dtype type, int rank = 0) {
    shape s;
    while (s.rank < rank) s.append(rows());
    return declare(name, type, s, init::zeros, kroton::graph::at_home, false);
  }
  constexpr void declare_history() {
    keep_rows("steps", rows());
    keep_rows("slopes", rows());
    cost_ = number("cost", dtype::float64);
    slope_ = number("slope", dtype::float64);
    length_ = number("length", dtype::float64);
    square_ = number("square", dtype::float64);
    scale_ = number("scale", dtype::float64);
    sy_ = number("steps_slopes", dtype::float64, 2);
    yy_ = number("slopes_slopes", dtype::float64, 2);
    pairs_ = number("pairs", dtype::int64);
    rejections_ = number("rejections", dtype::int64);
  }
  /// The result of a call that is refused.
  template <class T>
  constexpr lbfgs_step<T> nothing() const {
    const expr<T, extents<>> zero(kroton::graph::constant(captured(), dtype_of<T>, 0));
    return {{}, zero, zero, expr<bool, extents<>>(kroton::graph::constant(captured(), dtype::boolean, 0))};
  }

  static constexpr void add(term& total, const term& x) { total = total.valid() ? total + x : x; }
  static constexpr term is_number(const term& x) { return abs(x) <= std::numeric_limits<double>::max(); }

  static constexpr call_products products_of(const array_list<change>& changes) {
    call_products p;
    for (const change& c : changes) {
      add(p.gg, product_sum(c.gradient, c.gradient));
      add(p.gd, product_sum(c.gradient, c.kept[direction]));
      add(p.sy, product_sum(c.step(), c.slope()));
      add(p.yy, product_sum(c.slope(), c.slope()));
    }
    return p;
  }
  /// Whether the point is accepted: the cost decreases enough (Armijo), or it stays the same but for rounding while the
  /// slope says that the minimum along the direction is not far behind (Hager and Zhang 2005).
  constexpr verdict judged(const term& cost, double rounding, const call_products& p) const {
    verdict v;
    const term is_first = count() == 0;
    v.is_finite = is_number(cost) && is_number(p.gg);
    const term is_less = cost <= cost_ + options_.decrease * length_ * slope_,
               is_same = cost <= cost_ + rounding * abs(cost_) && p.gd <= (2 * options_.decrease - 1) * slope_;
    v.is_accepted = v.is_finite && (is_first || is_less || is_same);
    v.is_idle = is_first && !v.is_accepted;
    v.rejections = where(v.is_accepted, 0, rejections_ + 1);
    return v;
  }
  /// The first step along a new direction, or a shorter one along the same, where a parabola has its minimum.
  constexpr term length_after(const verdict& v, const term& cost, const term& start) const {
    const term above = cost - cost_ - length_ * slope_, least = 0.1 * length_;
    const term shorter = maximum(minimum(-0.5 * slope_ * sqr(length_) / above, 0.5 * length_), least);
    return where(v.is_kept, where(v.is_finite, shorter, least), start);
  }

  /// The histories with the step to this point, if it is a new one, and their products.
  constexpr histories remembered(const array_list<change>& changes, const call_products& now,
                                 const term& is_new) const {
    histories h;
    const int rows = options_.history;
    const term is_row = kroton::graph::iota(captured(), dtype::int64, rows) == mod(pairs_, rows) && is_new;
    term s_of_y, y_of_s, y_of_y;
    for (const change& c : changes) {
      const term is_here = along_rows(is_row, c.value.rank() + 1);
      const term s = where(is_here, c.step(), c.kept[steps]), y = where(is_here, c.slope(), c.kept[slopes]);
      h.steps.push_back(s);
      h.slopes.push_back(y);
      add(h.products.sg, product_sum(s, c.gradient));
      add(h.products.yg, product_sum(y, c.gradient));
      add(s_of_y, product_sum(s, c.slope()));
      add(y_of_s, product_sum(y, c.step()));
      add(y_of_y, product_sum(y, c.slope()));
    }
    const term in_row = along_rows(is_row, 2);
    h.products.sy = where(is_row, along_rows(s_of_y, 2), where(in_row, y_of_s, sy_));
    h.products.yy = where(is_row, along_rows(y_of_y, 2), where(in_row, y_of_y, yy_));
    h.products.gg = now.gg;
    h.products.pairs = pairs_ + cast(is_new, dtype::int64);
    h.products.scale = where(is_new, now.sy / now.yy, where(h.products.pairs > 0, scale_, 1));
    h.products.rows = rows;
    return h;
  }
  /// The next trial of a parameter along the direction minus (scale g + sum of of_s[i] s[i] - sum of of_y[i] y[i]).
  static constexpr void move(update_list& list, const change& c, const verdict& v, const term& s, const term& y,
                             const term& scale, const term& of_s, const term& of_y, const term& length) {
    const dtype type = c.value.type();
    const auto weighted = [&](const term& rows, const term& factors) {
      return rows * cast(along_rows(factors, rows.rank()), type);
    };
    const term w = where(v.is_accepted, c.value, c.kept[point]), g = where(v.is_accepted, c.gradient, c.kept[gradient]);
    const term made = cast(scale, type) * g + sum(weighted(s, of_s) - weighted(y, of_y), 1);
    const term d = where(v.is_kept, c.kept[direction], -made);
    const term trial = where(v.is_idle, c.value, w + cast(length, type) * d);
    list.add(c.parameter, cast(trial, c.parameter.type()));
    const term after[] = {w, g, d, s, y};
    for (int k = 0; k < c.kept.size(); ++k) list.add(c.kept[k], after[k]);
  }

  template <class T>
  constexpr lbfgs_step<T> call(const array_list<change>& changes, const term& cost, const term& rate) const {
    lbfgs_step<T> step = nothing<T>();
    const call_products now = products_of(changes);
    verdict v = judged(cost, 10 * static_cast<double>(std::numeric_limits<T>::epsilon()), now);
    const term is_new = v.is_accepted && count() > 0 && now.sy > 1e-10 * now.yy;
    const histories h = remembered(changes, now, is_new);
    const lbfgs_factors f = direction_of(h.products);
    v.is_steepest = (v.is_accepted && !(f.decrease > 0 && is_number(f.decrease))) || v.rejections > most_rejections;
    v.is_kept = !v.is_accepted && !v.is_steepest;
    const term is_made = v.is_accepted && !v.is_steepest, pairs = where(v.is_steepest, 0, h.products.pairs),
               square = where(v.is_accepted, now.gg, square_), norm = sqrt(square),
               start = where(pairs > 0, rate, rate / where(norm > 0, norm, 1)), length = length_after(v, cost, start),
               best = where(v.is_accepted, cost, cost_);
    const term scale = where(is_made, h.products.scale, 1), of_s = where(is_made, f.of_s, 0),
               of_y = where(is_made, h.products.scale * f.of_y, 0);
    for (int i = 0; i < changes.size(); ++i)
      move(step, changes[i], v, h.steps[i], h.slopes[i], scale, of_s, of_y, length);
    step.add(count(), where(v.is_idle, 0, count() + 1));
    step.add(cost_, best);
    step.add(slope_, where(v.is_kept, slope_, where(is_made, -f.decrease, -square)));
    step.add(length_, length);
    step.add(square_, square);
    step.add(scale_, h.products.scale);
    step.add(sy_, h.products.sy);
    step.add(yy_, h.products.yy);
    step.add(pairs_, pairs);
    step.add(rejections_, v.rejections);
    step.cost = expr<T, extents<>>(cast(where(v.is_idle, cost, best), dtype_of<T>));
    step.gradient_norm = expr<T, extents<>>(cast(where(v.is_idle, sqrt(now.gg), norm), dtype_of<T>));
    step.is_accepted = expr<bool, extents<>>(v.is_accepted);
    return step;
  }
};

}  // namespace kroton::optim
