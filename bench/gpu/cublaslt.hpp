// Matrix products of cuBLASLt alone: what Kroton's products are measured against.
#pragma once

#include "timing.hpp"

#include <cublasLt.h>

#include <cstdint>

namespace bench {

inline void check(cublasStatus_t found, const char* what) {
  if (found != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(std::string(what) + ": " + cublasLtGetStatusString(found));
}

/// z (m, n) = op(x) op(y) in float, without TF32, of row-major matrices; perhaps with a bias for each column and relu
/// in the product's own epilogue.
class lt_product {
 public:
  struct shape {
    std::int64_t m, n, k;
    bool x_transposed = false, y_transposed = false;
  };
  lt_product(const shape& s, const float* x, const float* y, float* z, const float* bias = nullptr)
      : x_(x), y_(y), z_(z), workspace_(workspace_bytes) {
    check(cublasLtCreate(&handle_), "cublasLtCreate");
    check(cublasLtMatmulDescCreate(&operation_, CUBLAS_COMPUTE_32F, CUDA_R_32F), "cublasLtMatmulDescCreate");
    // row-major z = x y is column-major z' = y' x'
    set(CUBLASLT_MATMUL_DESC_TRANSA, s.y_transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_TRANSB, s.x_transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    if (bias != nullptr) {
      set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_RELU_BIAS);
      set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
    }
    x_layout_ = s.x_transposed ? layout(s.m, s.k) : layout(s.k, s.m);
    y_layout_ = s.y_transposed ? layout(s.k, s.n) : layout(s.n, s.k);
    z_layout_ = layout(s.n, s.m);
    find();
  }
  lt_product(const lt_product&) = delete;
  lt_product& operator=(const lt_product&) = delete;
  ~lt_product() {
    for (cublasLtMatrixLayout_t l : {x_layout_, y_layout_, z_layout_}) (void)cublasLtMatrixLayoutDestroy(l);
    (void)cublasLtMatmulDescDestroy(operation_);
    (void)cublasLtDestroy(handle_);
  }

  void run(cudaStream_t stream) const {
    const float one = 1, zero = 0;
    check(cublasLtMatmul(handle_, operation_, &one, y_, y_layout_, x_, x_layout_, &zero, z_, z_layout_, z_, z_layout_,
                         &algorithms_[chosen_].algo, workspace_.as<void>(), workspace_bytes, stream),
          "cublasLtMatmul");
  }
  /// Takes the fastest of the algorithms that cuBLASLt proposes, instead of the first.
  void choose_fastest(cudaStream_t stream) {
    stopwatch watch(stream);
    double least = 1e9;
    int best = 0;
    for (chosen_ = 0; chosen_ < algorithm_count_; ++chosen_) {
      run(stream);
      const double seconds = watch.seconds_of([&] { run(stream); }, 10);
      if (seconds < least) {
        least = seconds;
        best = chosen_;
      }
    }
    chosen_ = best;
  }

 private:
  static constexpr std::size_t workspace_bytes = std::size_t{32} << 20;  // what NVIDIA advises for Hopper
  const float *x_, *y_;
  float* z_;
  device_bytes workspace_;
  cublasLtHandle_t handle_ = nullptr;
  cublasLtMatmulDesc_t operation_ = nullptr;
  cublasLtMatrixLayout_t x_layout_ = nullptr, y_layout_ = nullptr, z_layout_ = nullptr;
  static constexpr int most_algorithms = 16;
  cublasLtMatmulHeuristicResult_t algorithms_[most_algorithms] =
      {};  // no vector, whose code for a type without a name of its own breaks nvcc 13.0
  int algorithm_count_ = 0, chosen_ = 0;

  template <class Value>
  void set(cublasLtMatmulDescAttributes_t attribute, const Value& value) {
    check(cublasLtMatmulDescSetAttribute(operation_, attribute, &value, sizeof value),
          "cublasLtMatmulDescSetAttribute");
  }
  static cublasLtMatrixLayout_t layout(std::int64_t rows, std::int64_t columns) {
    cublasLtMatrixLayout_t made = nullptr;
    check(cublasLtMatrixLayoutCreate(&made, CUDA_R_32F, static_cast<std::uint64_t>(rows),
                                     static_cast<std::uint64_t>(columns), rows),
          "cublasLtMatrixLayoutCreate");
    return made;
  }
  void find() {
    cublasLtMatmulPreference_t wish = nullptr;
    check(cublasLtMatmulPreferenceCreate(&wish), "cublasLtMatmulPreferenceCreate");
    const std::size_t most = workspace_bytes;
    check(cublasLtMatmulPreferenceSetAttribute(wish, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof most),
          "cublasLtMatmulPreferenceSetAttribute");
    check(cublasLtMatmulAlgoGetHeuristic(handle_, operation_, y_layout_, x_layout_, z_layout_, z_layout_, wish,
                                         most_algorithms, algorithms_, &algorithm_count_),
          "cublasLtMatmulAlgoGetHeuristic");
    (void)cublasLtMatmulPreferenceDestroy(wish);
    if (algorithm_count_ == 0) throw std::runtime_error("cuBLASLt knows no algorithm for this product");
  }
};

}  // namespace bench
