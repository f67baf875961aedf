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
    if (n.op->id == id_of<ops::log>) return log_of(x);
    if (n.op->id == id_of<ops::log1p>) return log1p_of(x);
    if (n.op->id == id_of<ops::div>) return quotient(x, y);
    if (n.op->id == id_of<ops::mul>) {
      const term swapped = product(x, y);
      return swapped.valid() ? swapped : product(y, x);
    }
    if (n.op->id == id_of<ops::add>) {
      const term swapped = sum_of(x, y);
      return swapped.valid() ? swapped : sum_of(y, x);
    }
    if (n.op->id == id_of<ops::sub>) return difference(x, y);
    return {};
  }

 private:
  graph& g_;
  const array_list<bool>* opaque_;

  template <class Op>
  constexpr bool is(term t) const {
    return t.get().op->id == id_of<Op> && !(opaque_ != nullptr && t.id < opaque_->size() && (*opaque_)[t.id]);
  }
  constexpr term arg(term t, int i = 0) const { return {&g_, g_.operand(t.id, i)}; }
  static constexpr bool is_number(term t, double value) { return is_constant(t) && constant_value(t.get()) == value; }
  /// -x, without a double negation.
  constexpr term negative(term x) const { return is<ops::neg>(x) ? arg(x) : -x; }
  /// Through views.
  constexpr term unspread(term t) const {
    while (is<ops::broadcast_to>(t) || is<ops::reshape>(t)) t = arg(t);
    return t;
  }
  /// The sum of `x` over some axes that `t`, beside `x`, spreads over these axes again; not valid for anything else, such
  /// as a sum of rows beside the columns.
  constexpr term own_sum(term t, term x) const {
    const term total = unspread(t);
    if (!is<ops::sum>(total) || arg(total).id != x.id) return {};
    while (is<ops::broadcast_to>(t)) t = arg(t);
    const shape have = t.extents(), want = with_ones(total.extents(), total.get().attr.a);
    const int missing = want.rank - have.rank;
    for (int axis = 0; axis < want.rank; ++axis)
      if ((axis < missing ? 1 : have[axis - missing]) != want[axis]) return {};
    return total;
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
      return log_add_exp(arg(arg(x, 0)), arg(arg(x, 1)));
    }
    const term total = unspread(x);
    if (is<ops::sum>(total) && is<ops::exp>(arg(total)) && x.get().shape == total.get().shape)
      return log_sum_exp(arg(arg(total)), total.get().attr.a, false);
    if (is<ops::sum>(total) && is<ops::exp>(arg(total)) && is<ops::reshape>(x) && arg(x).id == total.id &&
        x.extents() == with_ones(total.extents(), total.get().attr.a))
      return log_sum_exp(arg(arg(total)), total.get().attr.a, true);
    if (is<ops::div>(x) && is<ops::exp>(arg(x, 0))) {  // log softmax
      if (const term sum_of_exp = own_sum(arg(x, 1), arg(x, 0)); sum_of_exp.valid()) {
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
      const term total = own_sum(y, x);
      if (total.valid() && !shifted(arg(x), total.get().attr.a)) {  // softmax
        const std::int64_t axes = total.get().attr.a;
        const term e = exp(arg(x) - shift_of(arg(x), axes));
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
  /// The largest of `x` along `axes`, kept with extent 1, as a number without derivative; 0 in place of an infinite one.
  static constexpr term shift_of(term x, std::int64_t axes) {
    const term largest = max(x, axes);
    const term fixed = disconnected_grad_term(reshape_term(largest, with_ones(largest.extents(), axes)));
    return where(isinf(fixed), 0, fixed);
  }
  /// log(exp(a) + exp(b)). On the side of the larger it is smooth, so that derivatives of all orders are right at a == b.
  static constexpr term log_add_exp(term a, term b) {
    const term high = where(a < b, b, a), low = where(a < b, a, b);
    const term gap = where((high == low) && isinf(high), 0, low - high);
    return high + softplus(gap);
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
    const term shift = shift_of(x, axes);
    const term total = sum(exp(x - shift), axes);
    const term result = log(reshape_term(total, with_ones(total.extents(), axes))) + shift;
    return keep ? result : reshape_term(result, total.extents());
  }
  static constexpr term tail_series(term x) {
    const term r = 1 / sqr(x);
    return 1 + r * (-0.5 + r * (0.75 + r * (-1.875 + 6.5625 * r)));
  }
  /// From where on erfc is its asymptotic series: the series is exact to rounding, and erfc and its reciprocal are no denormals.
  static constexpr double tail_start(term x) { return x.type() == dtype::float64 ? 26.5 : 9.0; }
  /// `x` where the formula for this side of the start applies, else the start. By `where`, through which NaN has a derivative.
  static constexpr term near(term x) { return where(x < tail_start(x), x, tail_start(x)); }
  static constexpr term far(term x) { return where(x < tail_start(x), tail_start(x), x); }
  static constexpr term log_erfc(term x) {
    const term tail = far(x);
    return where(x < tail_start(x), raw_log(erfc(near(x))), -sqr(tail) - raw_log(tail) - 0.5723649429247001 + raw_log(tail_series(tail)));
  }
  static constexpr term raw_log(term x) {
    return graph_layer::record<ops::log>(*x.owner, x.type(), x.extents(), {}, &x.id, 1);
  }
  /// exp(-x*x) / erfc(x)
  static constexpr term tail_ratio(term numerator, term denominator, term x) {
    const term tail = far(x);
    const int args[] = {numerator.id, denominator.id};
    const term quotient = graph_layer::record<ops::div>(*x.owner, x.type(), x.extents(), {}, args, 2);
    return where(x < tail_start(x), quotient, tail * 1.772453850905516 / tail_series(tail));
  }
};

}  // namespace kroton
