// This header replaces formulas that overflow or cancel by formulas that do not, only where the result is equal or
// better everywhere. Differentiation uses it too, so that gradients are those of the stable formula.
//
//     log(1 + exp(x))  ->  softplus(x)
#pragma once

#include <kroton/graph/stable/logarithm.hpp>

namespace kroton::graph {

/// The stable form of elementwise operations on given operands. Nodes marked opaque are not looked into.
class stabiliser {
 public:
  constexpr stabiliser(graph& g, const array_list<bool>* opaque = nullptr) : p_(g, opaque) {}

  /// A better term for operation `n` on the operands `args`, or an invalid term.
  constexpr term apply(const node& n, const int* args) const {
    if (n.op->kind != op_kind::map || !is_floating(n.type)) return {};
    const term x{&p_.g, n.count > 0 ? args[0] : -1}, y{&p_.g, n.count > 1 ? args[1] : -1};
    if (n.op->id == id_of<ops::log>) return stable::log_of(p_, x);
    if (n.op->id == id_of<ops::log1p>) return stable::log1p_of(p_, x);
    if (n.op->id == id_of<ops::add> || n.op->id == id_of<ops::sub>) return stable::cancelling_sum(p_, n, x, y);
    term better;
    if (n.op->id == id_of<ops::div>) better = quotient(x, y);
    else if (n.op->id == id_of<ops::mul>) better = product(x, y);
    else return {};
    return better.valid() ? better : stable::tail_product(p_, n, x, y);
  }

 private:
  stable::pattern p_;

  constexpr term quotient(term x, term y) const {
    for (int i = 0; i < (p_.is<ops::add>(y) ? 2 : 0); ++i) {
      const term t = p_.arg(y, i);
      if (!p_.is<ops::exp>(t) || !is_number(p_.arg(y, 1 - i), 1)) continue;
      const term e = p_.arg(t);
      if (p_.is<ops::exp>(x) && p_.arg(x).id == e.id) return sigmoid(e);
      if (is_number(x, 1)) return sigmoid(p_.negative(e));
      if (is_constant(x)) return x * sigmoid(p_.negative(e));
    }
    return stable::softmax_quotient(p_, x, y);
  }
  constexpr term product(term x, term y) const {
    for (int i = 0; i < 2; ++i) {
      const term a = i == 0 ? x : y, b = i == 0 ? y : x;
      if (!p_.is<ops::exp>(a) || !p_.is<ops::sigmoid>(b)) continue;
      const term e = p_.arg(a), s = p_.arg(b);
      if ((p_.is<ops::neg>(s) && p_.arg(s).id == e.id) || (p_.is<ops::neg>(e) && p_.arg(e).id == s.id))
        return sigmoid(e);
    }
    return {};
  }
};

}  // namespace kroton::graph
