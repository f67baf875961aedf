// This header tries the epilogues of cuBLASLt and their gradients, because their results for NaN, their rounding and
// their order of sums are not documented.
#pragma once

#include <kroton/arithmetic/scalar.hpp>
#include <kroton/runtime/context/driver.hpp>
#include <kroton/runtime/cuda/probe_memory.hpp>

#include <cmath>
#include <limits>

namespace kroton::runtime::on_cuda {

/// Multiplies small matrices with an epilogue, and compares the results with those of Kroton's kernels.
template <class Products>
class product_probe : probe_matrices {
 public:
  product_probe(Products& on, product_math math, product_function function, bool has_gradient)
      : on_(on), math_(math), function_(function), has_gradient_(has_gradient) {}

  /// Whether the results agree; no answer if there is no memory for the products.
  std::optional<bool> run(cudaStream_t stream) {
    return with_probe_memory(rooms * bytes + static_cast<std::int64_t>(Products::workspace_bytes), stream, what,
                             [&](std::byte* memory) {
                               set_addresses(memory);
                               return on_.has_algorithm(forward_, what) &&
                                      (!has_gradient_ || on_.has_algorithm(gradient_, what)) && multiplies(stream);
                             });
  }

 private:
  enum : std::int64_t {
    values_down,
    ones_across,
    ones_down,
    values_across,
    bias,
    inputs,
    z = inputs,
    gradient,
    sums,
    aux,
    rooms
  };

  Products& on_;
  product_math math_;
  product_function function_;
  bool has_gradient_;
  device_product forward_, gradient_;

  static constexpr float infinity = std::numeric_limits<float>::infinity(),
                         nan = std::numeric_limits<float>::quiet_NaN();
  // Element (i, j) of the forward product is row(i) + column(j), that of the gradient's product is factor(j). All of
  // them are exact in any precision.
  float row(std::int64_t i) const {
    return function_ == product_function::relu ? strange(i) : static_cast<float>(i - extent / 2) / 4;
  }
  float column(std::int64_t j) const {
    constexpr float every[] = {nan, infinity, -infinity, 1e30F, -1e30F, 1e4F, -1e4F, 1e-30F};
    if (function_ == product_function::relu || j < extent - 8 || (math_.is_finite && !std::isfinite(every[j % 8])))
      return 0;
    return every[j % 8];
  }
  float factor(std::int64_t j) const {
    return function_ == product_function::relu ? strange(j) : static_cast<float>(j % 8 + 1);
  }
  float strange(std::int64_t i) const {
    constexpr float every[] = {nan, infinity, -infinity, 1, -1, 0, -0.0F, 3};
    return math_.is_finite && i % 8 < 3 ? static_cast<float>(i - extent / 2) : every[i % 8];
  }
  float value(float x) const { return function_ == product_function::relu ? (x < 0 ? 0 : x) : simd::gelu_tanh(x); }
  float derivative(float x, float by) const {
    return function_ == product_function::relu ? (x > 0 ? by : 0) : by * simd::gelu_tanh_derivative(x);
  }
  /// Whether a result is as expected. relu has to be exact. gelu_tanh has to be close, relative to numbers of size
  /// `scale`, or NaN where the square or cube of such a number is infinite.
  bool agree(float found, float expected, float scale) const {
    if (found == expected || (std::isnan(found) && std::isnan(expected))) return true;
    if (function_ == product_function::relu) return false;
    if (!(scale < 1e12F)) return std::isnan(found);
    return std::fabs(found - expected) <= scale * (math_.precision == product_precision::full ? 0x1p-18F : 0x1p-10F);
  }

  void set_addresses(std::byte* memory) {
    for (device_product* p : {&forward_, &gradient_}) {
      p->math = math_;
      p->function = function_;
      p->m = p->n = p->k = extent;
      p->x_strides[0] = p->y_strides[0] = extent;
      p->x_strides[1] = p->y_strides[1] = 1;
      p->aux = has_gradient_ ? memory + aux * bytes : nullptr;
      p->workspace = memory + rooms * bytes;
    }
    forward_.x = memory + values_down * bytes;
    forward_.y = memory + ones_across * bytes;
    forward_.bias = memory + bias * bytes;
    forward_.z = memory + z * bytes;
    gradient_.x = memory + ones_down * bytes;
    gradient_.y = memory + values_across * bytes;
    gradient_.z = memory + gradient * bytes;
    gradient_.sums = memory + sums * bytes;
    gradient_.is_gradient = true;
  }
  bool multiplies(cudaStream_t stream) {
    std::array<matrix, inputs> given{};  // all elements are 0, except those of a row or a column
    for (std::int64_t i = 0; i < extent; ++i) {
      given[values_down][at(i, 0)] = row(i);
      given[values_across][at(0, i)] = factor(i);
      given[ones_across][at(0, i)] = given[ones_down][at(i, 0)] = 1;
      given[bias][at(0, i)] = column(i);
    }
    check(
        cudaMemcpyAsync(const_cast<std::byte*>(forward_.x), given.data(), sizeof given, cudaMemcpyHostToDevice, stream),
        what);
    // the sums are the first row of a matrix that is copied as a whole, and masks have gaps
    if (has_gradient_)
      check(cudaMemsetAsync(gradient_.sums, 0, static_cast<std::size_t>((rooms - sums) * bytes), stream), what);
    if (on_.try_multiply(forward_, stream, what) != CUBLAS_STATUS_SUCCESS) return false;
    if (has_gradient_ && on_.try_multiply(gradient_, stream, what) != CUBLAS_STATUS_SUCCESS) return false;
    std::array<matrix, 3> found{};  // z, gradient, sums
    check(cudaMemcpyAsync(found.data(), forward_.z, (has_gradient_ ? 3 : 1) * sizeof(matrix), cudaMemcpyDeviceToHost,
                          stream),
          what);
    check(cudaStreamSynchronize(stream), what);
    return is_right(found);
  }
  bool is_right(const std::array<matrix, 3>& found) const {
    for (std::int64_t j = 0; j < extent; ++j) {
      float sum = 0, scale_of_sum = 0;
      for (std::int64_t i = 0; i < extent; ++i) {
        const float x = row(i) + column(j), expected = derivative(x, factor(j)), scale = std::fmax(1, std::fabs(x));
        sum += expected;
        scale_of_sum += scale * std::fabs(factor(j));
        if (!agree(found[0][at(i, j)], value(x), scale)) return false;
        if (has_gradient_ && !agree(found[1][at(i, j)], expected, scale * std::fabs(factor(j)))) return false;
      }
      if (has_gradient_ && !agree(found[2][at(0, j)], sum, scale_of_sum)) return false;
    }
    return true;
  }
};

}  // namespace kroton::runtime::on_cuda
