// This header has the stable formulas of products and logarithms in the tail of erfc, where it and exp(-x*x) are 0 and
// their quotient is not.
#pragma once

#include <kroton/graph/stable/pattern.hpp>

namespace kroton::graph::stable {

/// Whether `x` is kept from the tail already, and no rule needed.
constexpr bool is_near(const pattern& p, term x) {
  if (!p.is<ops::where>(x) || !is_number(p.arg(x, 2), tail_start(x)) || !p.is<ops::less>(p.arg(x))) return false;
  return p.arg(p.arg(x)).id == p.arg(x, 1).id && is_number(p.arg(p.arg(x), 1), tail_start(x));
}

/// log(factor * erfc(x)), or of the quotient by the factor, for a positive number.
constexpr term log_of_erfc(const pattern& p, term product) {
  term x = product, scale;
  const bool quotient = p.is<ops::div>(product);
  for (int i = 0; i < (quotient ? 1 : p.is<ops::mul>(product) ? 2 : 0); ++i) {
    scale = p.arg(product, 1 - i);
    x = p.arg(product, i);
    if (p.is<ops::erfc>(x)) break;
  }
  if (!p.is<ops::erfc>(x) || is_near(p, p.arg(x))) return {};
  if (scale.valid() && !(is_constant(scale) && constant_value(scale.get()) > 0)) return {};
  x = p.arg(x);
  const term tail = far(x), body = erfc(near(x));
  const term series = -sqr(tail) - raw_log(tail) - 0.5723649429247001 + raw_log(tail_series(tail));
  if (!scale.valid()) return where(x < tail_start(x), raw_log(body), series);
  return quotient ? where(x < tail_start(x), raw_log(body / scale), series - raw_log(scale))
                  : where(x < tail_start(x), raw_log(body * scale), series + raw_log(scale));
}

/// log(normal_cdf(z)): on the left that of erfc, elsewhere that of a number near 1.
constexpr term log_of_normal_cdf(const pattern& p, term x) {
  constexpr double start = -1;
  if (!p.is<ops::normal_cdf>(x)) return {};
  const term z = p.arg(x);
  const term is_tail = z < start, tail = where(is_tail, z, start), body = where(is_tail, start, z);
  return where(is_tail, log_erfc(tail * (-0.5 * std::numbers::sqrt2)) - std::numbers::ln2,
               log1p(-normal_cdf(p.negative(body))));
}

/// The exponentials and erfcs among the factors and divisors of a product.
struct tail_factors {
  struct factor {
    int id;
    bool divides;
  };
  factor exps[chain_limit], erfcs[chain_limit];  // not initialised: most products have none
  int exp_count = 0, erfc_count = 0, visits = 0;

  constexpr tail_factors(const pattern& p, term x, term y, bool divides) {
    visit(p, x, false);
    visit(p, y, divides);
  }

 private:
  constexpr void visit(const pattern& p, term t, bool divides) {
    if (++visits > chain_limit) return;
    if (p.is<ops::mul>(t) || p.is<ops::div>(t)) {
      visit(p, p.arg(t, 0), divides);
      visit(p, p.arg(t, 1), divides != p.is<ops::div>(t));
    } else if (p.is<ops::neg>(t)) {
      visit(p, p.arg(t), divides);
    } else if (p.is<ops::exp>(t)) {
      note(exps, exp_count, {t.id, divides});
    } else if (p.is<ops::erfc>(t)) {
      note(erfcs, erfc_count, {t.id, divides});
    }
  }
  /// A factor that is there twice is noted as not valid: one of the two could not be replaced alone.
  static constexpr void note(factor* list, int& count, factor f) {
    for (int i = 0; i < count; ++i)
      if (list[i].id == f.id) {
        list[i].id = -1;
        return;
      }
    list[count++] = f;
  }
};

/// 1 if `s` is the square of `x`, -1 if it is minus that, else 0.
constexpr int square_sign(const pattern& p, term s, term x) {
  const auto bare = [&](term t) { return p.is<ops::neg>(t) ? p.arg(t) : t; };
  const int base = bare(x).id;
  if (p.is<ops::neg>(s)) return -square_sign(p, p.arg(s), x);
  if (p.is<ops::sqr>(s)) return bare(p.arg(s)).id == base ? 1 : 0;
  if (p.is<ops::pow>(s)) return bare(p.arg(s)).id == base && is_number(p.arg(s, 1), 2) ? 1 : 0;
  if (!p.is<ops::mul>(s)) return 0;
  const term left = p.arg(s, 0), right = p.arg(s, 1);
  if (bare(left).id != base || bare(right).id != base) return 0;
  return p.is<ops::neg>(left) == p.is<ops::neg>(right) ? 1 : -1;
}

/// The product `t` with `better` in place of `old`, and without `gone`.
constexpr term with_factor(const pattern& p, term t, term old, term better, term gone) {
  if (t.id == old.id) return better;
  if (t.id == gone.id) return constant(p.g, t.type(), 1);
  if (p.is<ops::neg>(t)) return -with_factor(p, p.arg(t), old, better, gone);
  if (!p.is<ops::mul>(t) && !p.is<ops::div>(t)) return t;
  const term x = with_factor(p, p.arg(t, 0), old, better, gone), y = with_factor(p, p.arg(t, 1), old, better, gone);
  if (is_number(y, 1)) return x;
  if (p.is<ops::div>(t)) return x / y;
  return is_number(x, 1) ? y : x * y;
}

/// A product or quotient `n` of `x` and `y` in which exp(-z*z) / erfc(z) or exp(z*z) * erfc(z) hides among other
/// factors. It is as written up to the tail; there, the two become one factor.
constexpr term tail_product(const pattern& p, const node& n, term x, term y) {
  if (!p.g.may_have(id_of<ops::erfc>)) return {};
  const tail_factors found(p, x, y, n.op->id == id_of<ops::div>);
  if (found.visits > chain_limit) return {};
  for (int i = 0; i < found.exp_count * found.erfc_count; ++i) {
    const auto& e = found.exps[i / found.erfc_count];
    const auto& f = found.erfcs[i % found.erfc_count];
    const term gaussian{&p.g, e.id}, body{&p.g, f.id};
    if (!gaussian.valid() || !body.valid()) continue;
    const term z = p.arg(body);
    const int sign = square_sign(p, p.arg(gaussian), z);
    if (sign != (e.divides == f.divides ? 1 : -1) || is_near(p, z)) continue;
    const term tail = far(z), product = p.recorded(n, x, y);
    const term ratio = sign < 0 ? tail_ratio(tail) : tail_series(tail) / tail * 0.5641895835477563;
    return where(z < tail_start(z), product, with_factor(p, product, gaussian, ratio, body));
  }
  return {};
}

}  // namespace kroton::graph::stable
