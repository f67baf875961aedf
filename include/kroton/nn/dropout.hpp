// This header has dropout.
#pragma once

#include <kroton/expr/random.hpp>

namespace kroton::typed::functions {
struct dropout;
}  // namespace kroton::typed::functions

namespace kroton::nn {

/// Zeros instead of elements of x, each with the given probability, and x / (1 - probability) elsewhere, so that the
/// mean stays (Srivastava et al. 2014): `kt::nn::dropout(x, 0.5)`. The probability is a number or a scalar expression
/// from 0 to 1, and is rounded to a multiple of 2^-16; with 1, every element is 0.
template <class X, class P>
constexpr auto dropout(const X& x, const P& probability) {
  if constexpr (!expression<X>) {
    reject<foreign_layer::problem<X>, functions::dropout, X, P>();
    return foreign_layer::stand_in<functions::dropout>(x);
  } else if constexpr (!is_floating(dtype_of<typename X::element>)) {
    reject<complaint::type, functions::dropout, typename X::expression>();
    return refused_like(x);
  } else if constexpr (!is_scalar_beside<X, P>()) {
    reject<complaint::probability, functions::dropout, typename X::expression, shown<P>>();
    return refused_like(x);
  } else {
    constexpr int all = 1 << 16;
    const term t = x.untyped();
    const shape s = t.extents();  // a copy, because new nodes move the graph's shapes
    const kroton::graph::drawn_elements of = kroton::graph::new_draw(*t.owner, s);
    const auto is_dropped = [&](const auto& bound) {
      using scalar = expr<std::uint64_t, extents<>>;
      return typed_layer::map<ops::random_below>(expr<std::uint64_t, typename X::extents_type>(of.at), scalar(of.where),
                                                 scalar(of.key), bound);
    };
    if constexpr (literal<P>) {
      const bool is_possible = check_probability("dropout", x, probability);
      const int dropped = is_possible ? static_cast<int>(static_cast<double>(probability) * all + 0.5) : 0;
      return where(is_dropped(dropped), 0, x * (dropped < all ? static_cast<double>(all) / (all - dropped) : 0.0));
    } else {
      const auto dropped = round(clip(probability, 0, 1) * all);
      return where(is_dropped(cast<std::uint64_t>(dropped)), 0, x * where(dropped == all, 0, all / (all - dropped)));
    }
  }
}

}  // namespace kroton::nn
