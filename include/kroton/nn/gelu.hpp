// This header has Gaussian error linear units (Hendrycks, Gimpel 2016).
#pragma once

#include <kroton/expr/functions.hpp>

namespace kroton::nn {

/// x times the probability that a standard normal variable is at most x; elementwise: `kt::nn::gelu(x)`.
template <tensor_like X>
constexpr mapped<ops::gelu, X> gelu(const X& x) {
  return layer_of<X>::template map<ops::gelu>(x);
}

/// 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), which is within 0.0005 of gelu; elementwise. Where x is a product
/// of float32 matrices, with a bias or without, cuBLASLt can compute it while it multiplies; then it may be NaN where
/// the square or cube of x is infinite: `kt::nn::gelu_tanh(x)`.
template <tensor_like X>
constexpr mapped<ops::gelu_tanh, X> gelu_tanh(const X& x) {
  return layer_of<X>::template map<ops::gelu_tanh>(x);
}

}  // namespace kroton::nn
