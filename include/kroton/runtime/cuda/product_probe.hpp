// What cuBLASLt makes of NaN and infinities where elements below 0 become 0, and in the gradient of that.
#pragma once

#include <kroton/runtime/cuda/check.hpp>
#include <kroton/runtime/device/driver.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace kroton::on_cuda {

/// Multiplies small matrices, and compares with what Kroton's kernels would write.
template <class Products>
class product_probe {
 public:
  product_probe(Products& on, product_precision precision, bool has_gradient) : on_(on), precision_(precision), has_gradient_(has_gradient) {}

  /// Nothing where there is no memory for it now.
  std::optional<bool> run(cudaStream_t stream) {
    void* memory = nullptr;
    const cudaError_t found = cudaMallocAsync(&memory, static_cast<std::size_t>(rooms * bytes) + Products::workspace_bytes, stream);
    if (found == cudaErrorMemoryAllocation) {
      (void)cudaGetLastError();
      return {};
    }
    check(found, what);
    bool is_right = false;
    try {
      place(static_cast<std::byte*>(memory));
      is_right = on_.has_algorithm(forward_, what) && (!has_gradient_ || on_.has_algorithm(gradient_, what)) && multiplies(stream);
    } catch (...) {
      (void)cudaFreeAsync(memory, stream);
      throw;
    }
    check(cudaFreeAsync(memory, stream), what);
    return is_right;
  }

 private:
  static constexpr const char* what = "relu";
  static constexpr std::int64_t extent = 64, bytes = extent * extent * static_cast<std::int64_t>(sizeof(float));
  using matrix = std::array<float, static_cast<std::size_t>(extent * extent)>;
  enum : std::int64_t { values_down, ones_across, ones_down, values_across, bias, inputs, z = inputs, gradient, sums, mask, rooms };

  Products& on_;
  product_precision precision_;
  bool has_gradient_;
  device_product forward_, gradient_;

  static float value(std::int64_t i) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    constexpr float all[] = {std::numeric_limits<float>::quiet_NaN(), infinity, -infinity, 1, -1, 0, -0.0F, 3};
    return all[i % 8];
  }
  static std::size_t at(std::int64_t i, std::int64_t j) { return static_cast<std::size_t>(i * extent + j); }
  static bool same(float x, float y) { return x == y || (std::isnan(x) && std::isnan(y)); }

  /// Element (i, j) of the forward product is value(i), that of the other one value(j).
  void place(std::byte* memory) {
    for (device_product* p : {&forward_, &gradient_}) {
      p->precision = precision_;
      p->m = p->n = p->k = extent;
      p->x_strides[0] = p->y_strides[0] = extent;
      p->x_strides[1] = p->y_strides[1] = 1;
      p->mask = has_gradient_ ? memory + mask * bytes : nullptr;
      p->workspace = memory + rooms * bytes;
    }
    forward_.x = memory + values_down * bytes;
    forward_.y = memory + ones_across * bytes;
    forward_.bias = memory + bias * bytes;
    forward_.z = memory + z * bytes;
    forward_.has_relu = true;
    gradient_.x = memory + ones_down * bytes;
    gradient_.y = memory + values_across * bytes;
    gradient_.z = memory + gradient * bytes;
    gradient_.sums = memory + sums * bytes;
  }
  bool multiplies(cudaStream_t stream) {
    std::array<matrix, inputs> given{};  // all but a row or a column is 0
    for (std::int64_t i = 0; i < extent; ++i) {
      given[values_down][at(i, 0)] = given[values_across][at(0, i)] = value(i);
      given[ones_across][at(0, i)] = given[ones_down][at(i, 0)] = 1;
    }
    check(cudaMemcpyAsync(const_cast<std::byte*>(forward_.x), given.data(), sizeof given, cudaMemcpyHostToDevice, stream), what);
    if (has_gradient_) check(cudaMemsetAsync(forward_.mask, 0, static_cast<std::size_t>(mask_bytes(extent, extent)), stream), what);
    on_.multiply(forward_, stream, what);
    if (has_gradient_) on_.multiply(gradient_, stream, what);
    std::array<matrix, 3> found{};  // z, gradient, sums
    check(cudaMemcpyAsync(found.data(), forward_.z, (has_gradient_ ? 3 : 1) * sizeof(matrix), cudaMemcpyDeviceToHost, stream), what);
    check(cudaStreamSynchronize(stream), what);
    return is_right(found);
  }
  bool is_right(const std::array<matrix, 3>& found) const {
    for (std::int64_t j = 0; j < extent; ++j) {
      float sum = 0;
      for (std::int64_t i = 0; i < extent; ++i) {
        const float kept = value(i) > 0 ? value(j) : 0;
        sum += kept;
        if (!same(found[0][at(i, j)], value(i) < 0 ? 0 : value(i))) return false;
        if (has_gradient_ && !same(found[1][at(i, j)], kept)) return false;
      }
      if (has_gradient_ && !same(found[2][at(0, j)], sum)) return false;
    }
    return true;
  }
};

}  // namespace kroton::on_cuda
