// This header has the stable formulas of sums in which a constant 1 cancels, in any order and association: exp(x) + y -
// 1 is expm1(x) + y.
#pragma once

#include <kroton/graph/stable/pattern.hpp>

namespace kroton::graph::stable {

/// The addends of a chain of sums and differences. Finite constants can be taken out of it: an addend that is infinite
/// or NaN makes the rest what it made the whole.
struct addends {
  struct addend {
    int id;
    bool minus;
  };
  double constants = 0;       ///< their sum
  bool exact = true;          ///< it is not rounded
  double least_constant = 1;  ///< in magnitude
  int visits = 0;
  addend others[chain_limit];  // not initialised: most sums have nothing to find
  int count = 0;

  constexpr addends(const pattern& p, term sum) {
    visit(p, sum, false);
    settle(sum.type());
  }
  constexpr addends(const pattern& p, term x, term y, bool minus) {
    visit(p, x, false);
    visit(p, y, minus);
    settle(x.type());
  }
  constexpr bool add_to(double one) const { return visits <= chain_limit && constants == one; }
  constexpr bool once(int i) const {
    for (int j = 0; j < count; ++j)
      if (j != i && others[j].id == others[i].id) return false;
    return true;
  }

 private:
  constexpr void visit(const pattern& p, term t, bool minus) {
    if (++visits > chain_limit) return;
    if (p.is<ops::add>(t) || p.is<ops::sub>(t)) {
      visit(p, p.arg(t, 0), minus);
      visit(p, p.arg(t, 1), minus != p.is<ops::sub>(t));
    } else if (p.is<ops::neg>(t)) {
      visit(p, p.arg(t), !minus);
    } else if (is_constant(t)) {
      const double value = minus ? -constant_value(t.get()) : constant_value(t.get()), sum = constants + value;
      exact = exact && sum - constants == value && sum - value == constants;  // false for NaN and infinities too
      constants = sum;
      if (const double size = value < 0 ? -value : value; size < least_constant) least_constant = size;
    } else {
      others[count++] = {t.id, minus};
    }
  }
  /// What constants are meant to add up to: 0.1 and 0.9 to 1, but the 1e-20 of 1 + 1e-20 is there to keep a logarithm
  /// from 0.
  constexpr void settle(dtype type) {
    type = computed_in(type);
    if (!exact)
      constants = least_constant >= (type == dtype::float64 ? 0x1p-52 : 0x1p-23) ? rounded(type, constants) : 0;
  }
};

/// The chain `t` without its constants and with `better` in place of `old`; not valid where nothing is left.
constexpr term without_constants(const pattern& p, term t, term old = {}, term better = {}) {
  if (t.id == old.id) return better;
  if (p.is<ops::neg>(t)) {
    const term x = without_constants(p, p.arg(t), old, better);
    return x.valid() ? p.negative(x) : x;
  }
  if (p.is<ops::add>(t) || p.is<ops::sub>(t)) {
    const bool minus = p.is<ops::sub>(t);
    const term x = without_constants(p, p.arg(t, 0), old, better), y = without_constants(p, p.arg(t, 1), old, better);
    if (!y.valid()) return x;
    if (!x.valid()) return minus ? p.negative(y) : y;
    if (minus) return x - y;
    return x.id < y.id ? x + y : y + x;  // as the rewrite orders operands
  }
  return is_constant(t) ? term{} : t;
}

/// 1 + u, or 1 - u if `minus`, where that has a form that does not cancel.
constexpr term beside_one(const pattern& p, term u, bool minus) {
  if (p.is<ops::erf>(u)) return erfc(minus ? p.arg(u) : p.negative(p.arg(u)));
  if (!minus) return {};
  if (p.is<ops::exp>(u)) return -expm1(p.arg(u));
  if (p.is<ops::sigmoid>(u)) return sigmoid(p.negative(p.arg(u)));
  if (p.is<ops::erfc>(u)) return erf(p.arg(u));
  return {};
}

/// A better term for log1p(x).
constexpr term log1p_of(const pattern& p, term x) {
  if (p.is<ops::exp>(x)) return softplus(p.arg(x));
  if (p.is<ops::neg>(x) && p.is<ops::sigmoid>(p.arg(x))) return -softplus(p.arg(p.arg(x)));
  return {};
}
/// log(1 + x).
constexpr term log_of_one_plus(const pattern& p, term x) {
  const term better = log1p_of(p, x);
  return better.valid() ? better : log1p(x);
}

/// A sum or difference `n` of `x` and `y` in which an addend and a constant 1 cancel.
constexpr term cancelling_sum(const pattern& p, const node& n, term x, term y) {
  const auto may_have = [&](auto... id) { return (p.g.may_have(id) || ...); };
  if (!may_have(id_of<ops::exp>, id_of<ops::sigmoid>, id_of<ops::erf>, id_of<ops::erfc>)) return {};
  const addends found(p, x, y, n.op->id == id_of<ops::sub>);
  const bool negated = found.constants < 0;
  if (!found.add_to(negated ? -1 : 1)) return {};
  for (int i = 0; i < found.count; ++i) {
    const term u{&p.g, found.others[i].id};
    const bool minus = found.others[i].minus;
    const term better = beside_one(p, u, minus != negated);
    if (better.valid() && found.once(i))
      return without_constants(p, p.recorded(n, x, y), u, minus != negated ? p.negative(better) : better);
  }
  return {};
}

/// log(x) of a sum in which constants add up to 1, by the rest of it. Where the rest adds up in another order than the
/// whole, that holds only where it is small: log(1 - x + y) is log(y) at x = 1, whatever is lost of y in y - x.
constexpr term log_beside_one(const pattern& p, term x) {
  if (p.is<ops::add>(x) && is_number(p.arg(x, 0), 1)) return log_of_one_plus(p, p.arg(x, 1));
  if (p.is<ops::add>(x) && is_number(p.arg(x, 1), 1)) return log_of_one_plus(p, p.arg(x, 0));
  if (p.is<ops::sub>(x) && is_number(p.arg(x, 0), 1)) return log_of_one_plus(p, p.negative(p.arg(x, 1)));
  const addends found(p, x);
  if (!found.add_to(1) || found.count == 0) return {};
  const term rest = without_constants(p, x);
  if (found.count == 1 && found.exact) return log_of_one_plus(p, rest);
  return where(abs(rest) < 0.5, log1p(rest), raw_log(x));
}

}  // namespace kroton::graph::stable
