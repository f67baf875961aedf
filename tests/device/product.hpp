// What a device makes of a product, element by element.
#pragma once

#include "seed.hpp"

#include <kroton/arithmetic/short_float.hpp>
#include <kroton/arithmetic/scalar.hpp>
#include <kroton/runtime/context/driver.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

namespace simulated {

namespace kt = kroton;

template <class T>
T rounded(const kt::runtime::device_product& p, T x) {
  if (p.math.precision == kt::runtime::product_precision::full || std::is_same_v<T, double>) return x;
  if (p.math.precision == kt::runtime::product_precision::bf16)
    return static_cast<float>(kt::bfloat16(static_cast<float>(x)));
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(static_cast<float>(x)) + 0x1000u) & 0xffffe000u);
}
template <class T>
void apply_relu(const kt::runtime::device_product& p, std::int64_t i, std::int64_t j, T& z) {
  if (!p.is_gradient && z < T(0)) z = T(0);
  if (p.aux == nullptr) return;
  std::byte& bits = p.aux[(i * kt::runtime::mask_stride(p.n) + j) / 8];
  const std::byte bit{static_cast<unsigned char>(1 << j % 8)};
  if (!p.is_gradient) bits = z > T(0) ? bits | bit : bits & ~bit;
  else if ((bits & bit) == std::byte{}) z = T(0);
}
template <class T>
void apply_gelu(const kt::runtime::device_product& p, std::int64_t i, std::int64_t j, T& z) {
  T* const kept = p.aux == nullptr ? nullptr : reinterpret_cast<T*>(p.aux) + i * p.n + j;
  if (!p.is_gradient && kept != nullptr) *kept = z;
  z = p.is_gradient ? z * kt::simd::gelu_tanh_derivative(*kept) : kt::simd::gelu_tanh(z);
}
template <class T>
void sum_columns_of_y(const kt::runtime::device_product& p) {
  for (std::int64_t j = 0; j < p.n; ++j) {
    T sum = 0;
    for (std::int64_t k = p.k - 1; k >= 0; --k)
      sum += reinterpret_cast<const T*>(p.y)[k * p.y_strides[0] + j * p.y_strides[1]];
    reinterpret_cast<T*>(p.sums)[j] = sum;
  }
}
template <class T>
void multiply_as(const kt::runtime::device_product& p) {
  const bool sums_result = p.sums != nullptr && p.is_gradient;
  if (sums_result) std::fill_n(reinterpret_cast<T*>(p.sums), p.n, T(0));
  else if (p.sums != nullptr) sum_columns_of_y<T>(p);
  const T alpha = p.factors_on_device ? *reinterpret_cast<const T*>(p.alpha_at) : static_cast<T>(p.alpha);
  const T beta = p.factors_on_device ? *reinterpret_cast<const T*>(p.beta_at) : static_cast<T>(p.beta);
  for (std::int64_t b = 0; b < p.batches; ++b)
    for (std::int64_t i = 0; i < p.m; ++i)
      for (std::int64_t j = 0; j < p.n; ++j) {
        T sum = 0;  // in an order that nobody knows
        const std::int64_t first =
            p.k > 0 ? static_cast<std::int64_t>(mixed(static_cast<std::uint64_t>(j)) % static_cast<std::uint64_t>(p.k))
                    : 0;
        for (std::int64_t all = 0; alpha != T(0) && all < p.k; ++all) {  // as BLAS does
          const std::int64_t k = (first + all) % p.k;
          sum = std::fma(
              rounded(p, reinterpret_cast<const T*>(p.x)[b * p.x_batch + i * p.x_strides[0] + k * p.x_strides[1]]),
              rounded(p, reinterpret_cast<const T*>(p.y)[b * p.y_batch + k * p.y_strides[0] + j * p.y_strides[1]]),
              sum);
        }
        T& z = reinterpret_cast<T*>(p.z)[(b * p.m + i) * p.n + j];
        z = alpha * sum + (beta == T(0) ? T(0) : beta * z);
        if (p.bias != nullptr) z += reinterpret_cast<const T*>(p.bias)[j];
        if (p.function == kt::graph::product_function::relu) apply_relu(p, i, j, z);
        if (p.function == kt::graph::product_function::gelu_tanh) apply_gelu(p, i, j, z);
        if (sums_result) reinterpret_cast<T*>(p.sums)[j] += z;
      }
}
inline void multiply(const kt::runtime::device_product& p) {
  p.type == kt::dtype::float32 ? multiply_as<float>(p) : multiply_as<double>(p);
}

}  // namespace simulated
