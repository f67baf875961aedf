// Rewrites that keep values finite and exact where the formula as written overflows or cancels. They apply only where
// the result is equal or better everywhere. Differentiation uses them too, so that gradients are those of the stable form.
#pragma once

#include <kroton/graph/ops.hpp>

#include <numbers>

namespace kroton {

/// The stable form of elementwise operations on given operands. Nodes marked opaque are not looked into.
class stabiliser {
 public:
  constexpr stabiliser(graph& g, const array_list<bool>* opaque = nullptr) : g_(g), opaque_(opaque) {}

  /// A better term for operation `n` on the operands `args`; not valid where there is none.
  constexpr term apply(const node& n, const int* args) const {
    if (n.op->kind != op_kind::map || !is_floating(n.type)) return {};
    const term x{&g_, n.count > 0 ? args[0] : -1}, y{&g_, n.count > 1 ? args[1] : -1};
    if (n.op == op<ops::log>) return log_of(x);
    if (n.op == op<ops::log1p>) return log1p_of(x);
    if (n.op == op<ops::div>) return quotient(x, y);
    if (n.op == op<ops::mul>) {
      const term swapped = product(x, y);
      return swapped.valid() ? swapped : product(y, x);
    }
    if (n.op == op<ops::add>) {
      const term swapped = sum_of(x, y);
      return swapped.valid() ? swapped : sum_of(y, x);
    }
    if (n.op == op<ops::sub>) return difference(x, y);
    return {};
  }

 private:
  graph& g_;
  const array_list<bool>* opaque_;

  template <class Op>
  constexpr bool is(term t) const {
    return t.get().op == op<Op> && !(opaque_ != nullptr && t.id < opaque_->size() && (*opaque_)[t.id]);
  }
  constexpr term arg(term t, int i = 0) const { return {&g_, g_.operand(t.id, i)}; }
  static constexpr bool is_number(term t, double value) { return is_constant(t) && constant_value(t.get()) == value; }
  /// -x, without a double negation.
  constexpr term negative(term x) const { return is<ops::neg>(x) ? arg(x) : -x; }
  /// Through views that spread a reduced value over its axes again.
  constexpr term unspread(term t) const {
    while (is<ops::broadcast_to>(t) || is<ops::reshape>(t)) t = arg(t);
    return t;
  }
  /// For 1 + t (in either order), t.
  constexpr term one_plus(term x) const {
    if (!is<ops::add>(x)) return {};
    if (is_number(arg(x, 0), 1)) return arg(x, 1);
    if (is_number(arg(x, 1), 1)) return arg(x, 0);
    return {};
  }

  constexpr term log_of(term x) const {
    if (const term t = one_plus(x); t.valid()) {
      const term better = log1p_of(t);
      return better.valid() ? better : log1p(t);
    }
    if (is<ops::sub>(x) && is_number(arg(x, 0), 1)) {
      const term better = log1p_of(negative(arg(x, 1)));
      return better.valid() ? better : log1p(negative(arg(x, 1)));
    }
    if (is<ops::sigmoid>(x)) return -softplus(negative(arg(x)));
    if (is<ops::erfc>(x)) return log_erfc(arg(x));
    if (is<ops::add>(x) && is<ops::exp>(arg(x, 0)) && is<ops::exp>(arg(x, 1))) {
      const term a = arg(arg(x, 0)), b = arg(arg(x, 1));
      return where(a == b, a + std::numbers::ln2, maximum(a, b) + log1p(exp(-abs(a - b))));
    }
    const term total = unspread(x);
    if (is<ops::sum>(total) && is<ops::exp>(arg(total)) && x.get().shape == total.get().shape)
      return log_sum_exp(arg(arg(total)), total.get().attr.a, false);
    if (is<ops::sum>(total) && is<ops::exp>(arg(total)) && is<ops::reshape>(x) && arg(x).id == total.id &&
        x.extents() == with_ones(total.extents(), total.get().attr.a))
      return log_sum_exp(arg(arg(total)), total.get().attr.a, true);
    if (is<ops::div>(x) && is<ops::exp>(arg(x, 0))) {  // log softmax
      const term sum_of_exp = unspread(arg(x, 1));
      if (is<ops::sum>(sum_of_exp) && arg(sum_of_exp).id == arg(x, 0).id) {
        const term t = arg(arg(x, 0));
        const std::int64_t axes = sum_of_exp.get().attr.a;
        const term stable = log_sum_exp(t, axes, true);
        return t - (stable.valid() ? stable : log(reshape_term(sum_of_exp, with_ones(sum_of_exp.extents(), axes))));
      }
    }
    return {};
  }
  constexpr term log1p_of(term x) const {
    if (is<ops::exp>(x)) return softplus(arg(x));
    if (is<ops::neg>(x) && is<ops::sigmoid>(arg(x))) return -softplus(arg(arg(x)));
    return {};
  }
  constexpr term quotient(term x, term y) const {
    if (const term t = one_plus(y); t.valid() && is<ops::exp>(t)) {
      const term e = arg(t);
      if (is<ops::exp>(x) && arg(x).id == e.id) return sigmoid(e);
      if (is_number(x, 1)) return sigmoid(negative(e));
      if (is_constant(x)) return x * sigmoid(negative(e));
    }
    if (is<ops::exp>(x)) {
      const term total = unspread(y);
      if (is<ops::sum>(total) && arg(total).id == x.id && !shifted(arg(x), total.get().attr.a)) {  // softmax
        const std::int64_t axes = total.get().attr.a;
        const term e = exp(arg(x) - disconnected(max(arg(x), axes), axes, arg(x).extents()));
        return e / reshape_term(sum(e, axes), with_ones(total.extents(), axes));
      }
      if (is<ops::erfc>(y) && is<ops::neg>(arg(x)) && is_square_of(arg(arg(x)), arg(y))) return tail_ratio(x, y, arg(y));
    }
    return {};
  }
  constexpr term product(term x, term y) const {
    if (is<ops::exp>(x) && is<ops::sigmoid>(y)) {
      const term e = arg(x), s = arg(y);
      if ((is<ops::neg>(s) && arg(s).id == e.id) || (is<ops::neg>(e) && arg(e).id == s.id)) return sigmoid(e);
    }
    return {};
  }
  constexpr term sum_of(term x, term y) const {
    if (is_number(x, -1) && is<ops::exp>(y)) return expm1(arg(y));
    if (is_number(x, 1) && is<ops::erf>(y)) return erfc(negative(arg(y)));
    if (is_number(x, -1) && is<ops::erfc>(y)) return -erf(arg(y));
    return {};
  }
  constexpr term difference(term x, term y) const {
    if (is_number(y, 1)) {
      if (is<ops::exp>(x)) return expm1(arg(x));
      if (is<ops::erf>(x)) return -erfc(arg(x));
      if (is<ops::erfc>(x)) return -erf(arg(x));
    }
    if (is_number(x, 1)) {
      if (is<ops::sigmoid>(y)) return sigmoid(negative(arg(y)));
      if (is<ops::erf>(y)) return erfc(arg(y));
      if (is<ops::erfc>(y)) return erf(arg(y));
    }
    return {};
  }

  constexpr bool is_square_of(term s, term x) const {
    return (is<ops::sqr>(s) && arg(s).id == x.id) || (is<ops::mul>(s) && arg(s, 0).id == x.id && arg(s, 1).id == x.id);
  }
  /// The reduced value spread over `target`, as a number without derivative.
  static constexpr term disconnected(term reduced_value, std::int64_t axes, const shape&) {
    return disconnected_grad_term(reshape_term(reduced_value, with_ones(reduced_value.extents(), axes)));
  }
  static constexpr term disconnected_grad_term(term x) {
    return graph_layer::record<ops::disconnected_grad>(*x.owner, x.type(), x.extents(), {}, &x.id, 1);
  }
  /// Whether `x` is y minus the maximum of y along `axes` (perhaps guarded) already.
  constexpr bool shifted(term x, std::int64_t axes) const {
    if (!is<ops::sub>(x)) return false;
    term s = arg(x, 1);
    for (bool moved = true; moved;) {
      moved = false;
      if (is<ops::broadcast_to>(s) || is<ops::reshape>(s) || is<ops::disconnected_grad>(s)) s = arg(s), moved = true;
      else if (is<ops::where>(s)) s = arg(s, 2), moved = true;
    }
    return is<ops::max>(s) && arg(s).id == arg(x, 0).id && s.get().attr.a == axes;
  }
  /// log(sum(exp(x))) with the largest element taken out, 0 in place of an infinite one; not valid if x is so already.
  constexpr term log_sum_exp(term x, std::int64_t axes, bool keep) const {
    if (shifted(x, axes)) return {};
    const term largest = disconnected(max(x, axes), axes, x.extents());
    const term shift = where(isinf(largest), 0, largest);
    const term total = sum(exp(x - shift), axes);
    const term result = log(reshape_term(total, with_ones(total.extents(), axes))) + shift;
    return keep ? result : reshape_term(result, total.extents());
  }
  static constexpr term tail_series(term x) {
    const term r = 1 / sqr(x);
    return 1 + r * (-0.5 + r * (0.75 - 1.875 * r));
  }
  static constexpr double tail_start(term x, double in_float) { return x.type() == dtype::float64 ? 26.641747557 : in_float; }
  static constexpr term log_erfc(term x) {
    const double start = tail_start(x, 10.0541949);
    const term near = minimum(x, start), far = maximum(x, start);
    return where(x < start, raw_log(erfc(near)), -sqr(far) - raw_log(far) - 0.5723649429247001 + raw_log(tail_series(far)));
  }
  static constexpr term raw_log(term x) {
    return graph_layer::record<ops::log>(*x.owner, x.type(), x.extents(), {}, &x.id, 1);
  }
  /// exp(-x*x) / erfc(x)
  static constexpr term tail_ratio(term numerator, term denominator, term x) {
    const double start = tail_start(x, 9.3);
    const term far = maximum(x, start);
    const int args[] = {numerator.id, denominator.id};
    const term near = graph_layer::record<ops::div>(*x.owner, x.type(), x.extents(), {}, args, 2);
    return where(x < start, near, far * 1.772453850905516 / tail_series(far));
  }
};

}  // namespace kroton
