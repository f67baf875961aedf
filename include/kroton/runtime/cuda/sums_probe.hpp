// This header tries the epilogue of cuBLASLt that sums the columns of a factor, because it is not documented whether
// the epilogue scales or rounds the elements.
#pragma once

#include <kroton/runtime/context/driver.hpp>
#include <kroton/runtime/cuda/probe_memory.hpp>

#include <cmath>
#include <limits>

namespace kroton::runtime::on_cuda {

/// Multiplies a small matrix by twice the unit matrix, and compares the result and the sums with what they should be.
template <class Products>
class sums_probe : probe_matrices {
 public:
  sums_probe(Products& on, product_math math) : on_(on) {
    product_.math = math;
    product_.m = product_.n = product_.k = extent;
    product_.x_strides[1] = product_.y_strides[0] = extent;  // x is transposed, as that of a weight's gradient
    product_.x_strides[0] = product_.y_strides[1] = 1;
    product_.alpha = 2;
  }

  /// Whether the results are right; no answer if there is no memory for the product.
  std::optional<bool> run(cudaStream_t stream) {
    return with_probe_memory(rooms * bytes + static_cast<std::int64_t>(Products::workspace_bytes), stream, what,
                             [&](std::byte* memory) {
                               product_.x = memory + unit * bytes;
                               product_.y = memory + values * bytes;
                               product_.z = memory + z * bytes;
                               product_.sums = memory + sums * bytes;
                               product_.workspace = memory + rooms * bytes;
                               return on_.has_algorithm(product_, what) && multiplies(stream);
                             });
  }

 private:
  enum : std::int64_t { unit, values, given, z = given, sums, rooms };
  Products& on_;
  device_product product_;

  // All elements of a column are equal, so that their sum is exact in any order. tf32 and bf16 would round them. The
  // last two columns are NaN and infinite.
  static float value(std::int64_t j) {
    constexpr float strange[] = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()};
    return j >= extent - 2 ? strange[j % 2] : (1 + 0x1p-12F) * static_cast<float>(1 << j % 4);
  }

  bool multiplies(cudaStream_t stream) {
    std::array<matrix, given> matrices{};
    for (std::int64_t i = 0; i < extent; ++i) {
      matrices[unit][at(i, i)] = 1;
      for (std::int64_t j = 0; j < extent; ++j) matrices[values][at(i, j)] = value(j);
    }
    check(cudaMemcpyAsync(const_cast<std::byte*>(product_.x), matrices.data(), sizeof matrices, cudaMemcpyHostToDevice,
                          stream),
          what);
    check(cudaMemsetAsync(product_.sums, 0, static_cast<std::size_t>(bytes), stream), what);
    if (on_.try_multiply(product_, stream, what) != CUBLAS_STATUS_SUCCESS) return false;
    std::array<matrix, rooms - given> found{};  // z, sums
    check(cudaMemcpyAsync(found.data(), product_.z, sizeof found, cudaMemcpyDeviceToHost, stream), what);
    check(cudaStreamSynchronize(stream), what);
    for (std::int64_t j = 0; j < extent; ++j) {
      const float sum = found[1][at(0, j)], expected = static_cast<float>(extent) * value(j);
      if (!(sum == expected || (std::isnan(sum) && std::isnan(expected)))) return false;
      for (std::int64_t i = 0; i < extent && std::isfinite(expected); ++i)
        if (i < extent - 2 && !(std::fabs(found[0][at(i, j)] - 2 * value(j)) <= 0x1p-6F * value(j))) return false;
    }
    return true;
  }
};

}  // namespace kroton::runtime::on_cuda
