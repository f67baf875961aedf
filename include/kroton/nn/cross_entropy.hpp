// This header has cross-entropy of class scores.
#pragma once

#include <kroton/expr/functions.hpp>

namespace kroton::typed::functions {
struct cross_entropy;
struct softmax;
}  // namespace kroton::typed::functions

namespace kroton::nn {

/// -log softmax(logits)[label] for each row: logits (..., classes), label (...) of integers in [0, classes). Its
/// gradient with respect to the logits is softmax - one-hot. `kt::nn::cross_entropy(logits, label)`
template <expression X, expression L>
constexpr auto cross_entropy(const X& logits, const L& label) {
  if constexpr (!is_floating(dtype_of<typename X::element>) || !std::is_integral_v<typename L::element>) {
    reject<complaint::type, functions::cross_entropy, typename X::expression, typename L::expression>();
    return typed_layer::refused<expr<typename X::element, typename L::extents_type>>(logits);
  } else {
    return logsumexp(logits, axis<-1>) - pick(logits, label);
  }
}

/// exp(x) / sum(exp(x)) along the last axis, without overflow: `kt::nn::softmax(x)`.
template <tensor_like X>
constexpr auto softmax(const X& x) {
  constexpr complaint problem = along_problem<X>(axis<-1>);
  if constexpr (problem != complaint::none) {
    reject<problem, functions::softmax, shown<X>>();
    return foreign_layer::stand_in<functions::softmax>(x);
  } else {
    const auto e = exp(x - disconnected_grad(max(x, axis<-1>, keep_dims)));
    return e / sum(e, axis<-1>, keep_dims);
  }
}

}  // namespace kroton::nn
