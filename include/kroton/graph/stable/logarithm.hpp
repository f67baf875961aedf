// This header has the stable formulas of logarithms. The logarithm of a selection of elements is the same selection of
// the logarithms.
#pragma once

#include <kroton/graph/stable/softmax.hpp>
#include <kroton/graph/stable/sums.hpp>
#include <kroton/graph/stable/tails.hpp>

namespace kroton::graph::stable {

/// How many selections, one of the other, a logarithm is taken through.
inline constexpr int selection_limit = 6;

constexpr term log_of(const pattern& p, term x, int depth = 0);

/// log of a view, of rows by index, of a choice between two tensors, or of picked elements, if the log of the tensor
/// from which they select has a stable form.
constexpr term log_of_selection(const pattern& p, term x, int depth) {
  if (depth == selection_limit || !p.is_open(x)) return {};
  const op_kind kind = x.get().op->kind;
  if (kind == op_kind::reshape || kind == op_kind::transpose || kind == op_kind::broadcast || kind == op_kind::slice ||
      kind == op_kind::take) {
    const term inner = log_of(p, p.arg(x), depth + 1);
    return inner.valid() ? p.with_first(x, broadcast_term(inner, shape(p.arg(x).extents()))) : inner;
  }
  if (p.is<ops::where>(x)) {
    const term yes = log_of(p, p.arg(x, 1), depth + 1), no = log_of(p, p.arg(x, 2), depth + 1);
    if (!yes.valid() && !no.valid()) return {};
    return where(p.arg(x), yes.valid() ? yes : raw_log(p.arg(x, 1)), no.valid() ? no : raw_log(p.arg(x, 2)));
  }
  const picked found(p, x);
  if (!found.mask.valid()) return {};
  if (!found.product) {
    const term inner = log_of(p, found.row, depth + 1);
    return inner.valid() ? picked::pick(found.mask, inner) : inner;
  }
  // a NaN beside the picked element counts; in a softmax along the row it is everywhere
  const term total = total_of_softmax(p, found.row);
  if (!total.valid() || !reduction_form::of(total.get().attr).is_over(found.row.rank() - 1)) return {};
  return picked::pick(found.mask, log_softmax(p, total));
}

/// A better term for log(x), or an invalid term.
constexpr term log_of(const pattern& p, term x, int depth) {
  if (p.is<ops::exp>(x)) return p.arg(x);
  if (p.is<ops::sigmoid>(x)) return -softplus(p.negative(p.arg(x)));
  if (p.is<ops::normal_pdf>(x)) return -0.5 * sqr(p.arg(x)) - 0.9189385332046727;  // log(sqrt(2 pi))
  if (const term better = log_beside_one(p, x); better.valid()) return better;
  if (const term better = log_of_erfc(p, x); better.valid()) return better;
  if (const term better = log_of_normal_cdf(p, x); better.valid()) return better;
  if (p.is<ops::add>(x) && p.is<ops::exp>(p.arg(x, 0)) && p.is<ops::exp>(p.arg(x, 1)))
    return log_add_exp(p.arg(p.arg(x, 0)), p.arg(p.arg(x, 1)));
  if (p.is<ops::sum>(x) && p.is<ops::exp>(p.arg(x))) return log_sum_exp(p, p.arg(p.arg(x)), axes_of(x));
  if (const term total = total_of_softmax(p, x); total.valid()) return log_softmax(p, total);
  if (p.is<ops::div>(x) && is_number(p.arg(x, 0), 1)) {
    const term inner = depth < selection_limit ? log_of(p, p.arg(x, 1), depth + 1) : term{};
    return inner.valid() ? -inner : inner;
  }
  if (p.is<ops::div>(x)) {
    const term top = p.arg(x, 0);
    const picked numerator(p, p.is<ops::reshape>(top) ? p.arg(top) : top);
    const term total = total_of_picked(p, top, p.arg(x, 1), numerator);
    if (!total.valid()) return {};
    const term result = picked::pick(numerator.mask, log_softmax(p, total));
    return reshape_term(result, top.extents());
  }
  return log_of_selection(p, x, depth);
}

}  // namespace kroton::graph::stable
