// This header has the stable formulas of softmax and log(sum(exp(x))), with the largest element taken out.
#pragma once

#include <kroton/graph/stable/pattern.hpp>

namespace kroton::graph::stable {

/// The sum of `x` over some axes that `t`, beside `x`, spreads over these axes again; not valid for anything else, such
/// as a sum of rows beside the columns.
constexpr term own_sum(const pattern& p, term t, term x) {
  const term total = p.unspread(t);
  if (!p.is<ops::sum>(total) || p.arg(total).id != x.id) return {};
  while (p.is<ops::broadcast_to>(t)) t = p.arg(t);
  const shape have = t.extents(), want = with_ones(total.extents(), axes_of(total));
  const int missing = want.rank - have.rank;
  for (int axis = 0; axis < want.rank; ++axis)
    if ((axis < missing ? 1 : have[axis - missing]) != want[axis]) return {};
  return total;
}
/// The largest of `x` along `axes`, kept with extent 1, as a number without derivative; 0 in place of an infinite one.
constexpr term shift_of(term x, std::int64_t axes) {
  const term largest = max(x, axes), kept = reshape_term(largest, with_ones(largest.extents(), axes));
  const term fixed = graph_layer::record<ops::disconnected_grad>(*x.owner, x.type(), kept.extents(), {}, &kept.id, 1);
  return where(isinf(fixed), 0, fixed);
}
/// Whether `x` is y minus the maximum of y along `axes` (perhaps guarded) already.
constexpr bool shifted(const pattern& p, term x, std::int64_t axes) {
  if (!p.is<ops::sub>(x)) return false;
  term s = p.arg(x, 1);
  for (bool moved = true; moved;) {
    moved = false;
    if (p.is<ops::broadcast_to>(s) || p.is<ops::reshape>(s) || p.is<ops::disconnected_grad>(s))
      s = p.arg(s), moved = true;
    else if (p.is<ops::where>(s)) s = p.arg(s, 2), moved = true;
  }
  return p.is<ops::max>(s) && p.arg(s).id == p.arg(x, 0).id && axes_of(s) == axes;
}
/// log(sum(exp(x))) with the largest element taken out, 0 in place of an infinite one; not valid if x is so already.
constexpr term log_sum_exp(const pattern& p, term x, std::int64_t axes) {
  if (shifted(p, x, axes)) return {};
  const term shift = shift_of(x, axes), total = sum(exp(x - shift), axes);
  return reshape_term(log(reshape_term(total, with_ones(total.extents(), axes))) + shift, total.extents());
}
/// log(exp(a) + exp(b)). On the side of the larger it is smooth, so that derivatives of all orders are right at a == b.
constexpr term log_add_exp(term a, term b) {
  const term high = where(a < b, b, a), low = where(a < b, a, b);
  const term gap = where((high == low) && isinf(high), 0, low - high);
  return high + softplus(gap);
}

/// exp(x) / sum(exp(x)) along `axes`.
constexpr term softmax(term x, std::int64_t axes) {
  const term e = exp(x - shift_of(x, axes)), total = sum(e, axes);
  return e / reshape_term(total, with_ones(total.extents(), axes));
}
/// Its logarithm, for `total` = sum(exp(x)). The largest is taken out before log(total) is, beside which it may be
/// large.
constexpr term log_softmax(const pattern& p, term total) {
  const term x = p.arg(p.arg(total));
  const std::int64_t axes = axes_of(total);
  const bool ready = shifted(p, x, axes);
  const term left = ready ? x : x - shift_of(x, axes), sum_of_left = ready ? total : sum(exp(left), axes);
  return left - log(reshape_term(sum_of_left, with_ones(sum_of_left.extents(), axes)));
}
/// For a softmax, the sum of exponentials in it.
constexpr term total_of_softmax(const pattern& p, term x) {
  return p.is<ops::div>(x) && p.is<ops::exp>(p.arg(x, 0)) ? own_sum(p, p.arg(x, 1), p.arg(x, 0)) : term{};
}

/// An integer before it was widened.
constexpr term before_widening(const pattern& p, term x) {
  if (!p.is<ops::cast>(x)) return x;
  const dtype from = p.arg(x).type();
  return is_integer(from) && is_integer(x.type()) && size_of(from) < size_of(x.type()) ? p.arg(x) : x;
}
/// Whether `mask` holds at just one position of its last axis: an index that was checked, beside all there are.
constexpr bool is_one_hot(const pattern& p, term mask) {
  mask = p.unmoved(mask);
  if (!p.is<ops::equal>(mask)) return false;
  for (int side = 0; side < 2; ++side) {
    const term position = p.arg(mask, side), index = before_widening(p, p.arg(mask, 1 - side)),
               checked = p.unmoved(p.unspread(p.unmoved(index)));
    if (p.is<ops::iota>(position) && p.is<ops::index_check>(checked) &&
        extent_form::of(checked.get().attr).extent == position.extents()[0])
      return index.rank() == 0 || index.extents()[index.rank() - 1] == 1;
  }
  return false;
}
/// One element of each row: kt::pick, or the sum of the row's products with kt::one_hot. The latter is NaN where any
/// other element of the row is.
struct picked {
  term mask, row;
  bool product = false;

  constexpr picked(const pattern& p, term x) {
    if (!p.is<ops::sum>(x)) return;
    const term every = p.arg(x);
    if (axes_of(x) != std::int64_t{1} << (every.rank() - 1)) return;
    if (p.is<ops::where>(every) && is_number(p.arg(every, 2), 0)) find(p, every, p.arg(every), p.arg(every, 1));
    for (int i = 0; i < (p.is<ops::mul>(every) ? 2 : 0) && !mask.valid(); ++i)
      if (const term one_hot = p.unmoved(p.arg(every, i)); p.is<ops::cast>(one_hot)) {
        const node& n = p.arg(every, i).get();
        const bool is_written = n.op->kind == op_kind::transfer && transfer_form::of(n.attr).is_written;
        find(p, every, transfer_term(p.arg(one_hot), n.place, is_written), p.arg(every, 1 - i));
        product = mask.valid();
      }
  }
  /// The same element of other rows.
  static constexpr term pick(term mask, term rows) {
    const term every = where(mask, rows, 0);
    return sum(every, std::int64_t{1} << (every.rank() - 1));
  }

 private:
  constexpr void find(const pattern& p, term every, term condition, term of) {
    const int last = every.rank() - 1;
    if (!is_one_hot(p, condition) || condition.extents()[condition.rank() - 1] != every.extents()[last]) return;
    mask = condition;
    row = of;
  }
};
/// For pick(exp(x)) / sum(exp(x)), perhaps with an axis of extent 1 more: the sum of exponentials.
constexpr term total_of_picked(const pattern& p, term x, term y, const picked& numerator) {
  const term total = p.is<ops::reshape>(y) ? p.arg(y) : y;
  if (!numerator.mask.valid() || !p.is<ops::exp>(numerator.row) || !p.is<ops::sum>(total)) return {};
  if (p.arg(total).id != numerator.row.id || !(x.extents() == y.extents())) return {};
  return axes_of(total) == std::int64_t{1} << (numerator.row.rank() - 1) ? total : term{};
}

/// Quotients that are a softmax, or one element of it.
constexpr term softmax_quotient(const pattern& p, term x, term y) {
  if (p.is<ops::exp>(x)) {
    const term total = own_sum(p, y, x);
    if (!total.valid() || shifted(p, p.arg(x), axes_of(total))) return {};
    return softmax(p.arg(x), axes_of(total));
  }
  const picked numerator(p, p.is<ops::reshape>(x) ? p.arg(x) : x);
  const term total = total_of_picked(p, x, y, numerator);
  if (!total.valid() || numerator.product || shifted(p, p.arg(numerator.row), axes_of(total))) return {};
  return reshape_term(picked::pick(numerator.mask, softmax(p.arg(numerator.row), axes_of(total))), x.extents());
}

}  // namespace kroton::graph::stable
