// This header multiplies matrices through cuBLASLt, with an algorithm that is looked for once for each shape.
#pragma once

#include <kroton/runtime/context/aligned_block.hpp>
#include <kroton/runtime/cuda/product_probe.hpp>
#include <kroton/runtime/cuda/sums_probe.hpp>

#include <deque>
#include <optional>

namespace kroton::runtime::on_cuda {

/// The products of one device. Products of the same shape always have the same algorithm, which adds in the same order.
class products {
 public:
  explicit products(int device) : device_(device) {}
  products(const products&) = delete;
  products& operator=(const products&) = delete;
  ~products() {
    for (const plan& p : plans_) destroy(p);
    if (handle_ != nullptr) (void)cublasLtDestroy(handle_);
  }

  void multiply(const device_product& product, cudaStream_t stream, const char* what) {
    check(try_multiply(product, stream, what), what);
  }
  /// Multiplies if cuBLASLt can, and returns its status.
  cublasStatus_t try_multiply(const device_product& product, cudaStream_t stream, const char* what) {
    const current_device here(device_);
    const plan& p = plan_of(product, what);
    if (p.status != CUBLAS_STATUS_SUCCESS) return p.status;
    set_addresses(p, product, what);
    const double wide[] = {product.alpha, product.beta};
    const float narrow[] = {static_cast<float>(product.alpha), static_cast<float>(product.beta)};
    const bool is_float = product.type == dtype::float32;
    const void* alpha = product.factors_on_device ? static_cast<const void*>(product.alpha_at)
                        : is_float                ? static_cast<const void*>(narrow)
                                                  : wide;
    const void* beta = product.factors_on_device ? static_cast<const void*>(product.beta_at)
                       : is_float                ? static_cast<const void*>(narrow + 1)
                                                 : wide + 1;
    // row-major z = x y is column-major z' = y' x'
    return cublasLtMatmul(handle_, p.operation, alpha, product.y, p.y, product.x, p.x, beta, product.z, p.z, product.z,
                          p.z, &p.algorithm, product.workspace, static_cast<std::size_t>(p.workspace), stream);
  }
  std::int64_t workspace_of(const device_product& product, const char* what) {
    const current_device here(device_);
    const plan& p = plan_of(product, what);
    check(p.status, what);
    return p.workspace;
  }
  /// Whether cuBLASLt has an algorithm for a product with its epilogue that computes the same as Kroton's kernels, and
  /// in no more time. A product with a function, or with sums besides, divides no sum, see find; few long sums that
  /// could be divided take longer than the function or the sums in a kernel of their own.
  bool supports_epilogue(const device_product& product, cudaStream_t stream, const char* what) {
    const current_device here(device_);
    if (product.function == product_function::gelu_tanh && product.aux != nullptr && product.n % 8 != 0)
      return false;  // cuBLASLt needs rows of the aux tensor with a multiple of 8 elements
    if (keeps_sums_whole(product) && divides_sums(without_epilogue(product), what)) return false;
    const auto precision = static_cast<std::size_t>(product.math.precision);
    if (product.sums != nullptr && !product.is_gradient &&
        !passes(sums_probe(*this, product.math), sums_known_[precision], stream))
      return false;
    for (const bool is_gradient : {false, true})
      if (product.function != product_function::none && (is_gradient ? product.aux != nullptr : !product.is_gradient) &&
          !passes(
              product_probe(*this, product.math, product.function, is_gradient),
              known_[product.math.is_finite][product.function == product_function::gelu_tanh][is_gradient][precision],
              stream))
        return false;
    return has_algorithm(product, what);
  }
  bool has_algorithm(const device_product& product, const char* what) {
    return plan_of(product, what).status == CUBLAS_STATUS_SUCCESS;
  }

  /// The most bytes of a workspace, as NVIDIA advises for Hopper.
  static constexpr std::size_t workspace_bytes = std::size_t{32} << 20;

 private:
  // So many plans are kept that none is lost between a call and its capture, during which no algorithm may be
  // looked for.
  static constexpr std::size_t most_plans = 4096;

  struct plan {
    device_product shape;  // of the addresses, only the alignment is used
    cublasStatus_t status = CUBLAS_STATUS_NOT_SUPPORTED;
    cublasLtMatmulDesc_t operation = nullptr;
    cublasLtMatrixLayout_t x = nullptr, y = nullptr, z = nullptr;
    cublasLtMatmulAlgo_t algorithm{};
    std::int64_t workspace = 0;
  };
  int device_;
  cublasLtHandle_t handle_ = nullptr;
  std::deque<plan> plans_;
  // The answers of product_probe: for all numbers or for finite numbers alone, relu or gelu_tanh, the function or its
  // gradient, and each precision.
  std::optional<bool> known_[2][2][2][3];
  std::optional<bool> sums_known_[3];  // the answers of sums_probe, for each precision

  /// The alignments of the operands, in bytes; `z` is the alignment of the result and of the other operands of the
  /// epilogue. Buffers on a device begin at multiples of device_alignment, which cuBLASLt assumes by default. A smaller
  /// alignment comes from the offset in a buffer, so it is the same in every call, and in questions about a product
  /// before there is memory. In a loop, it is that of all iterations.
  struct alignments {
    std::uint32_t x, y, z;
    bool operator==(const alignments&) const = default;
  };
  static alignments alignments_of(const device_product& p) {
    std::uint32_t z = common_alignment(p.z, p.z_distance);
    for (const std::byte* at : {p.bias, static_cast<const std::byte*>(p.aux), static_cast<const std::byte*>(p.sums)})
      z = std::min(z, common_alignment(at, 0));
    return {common_alignment(p.x, p.x_distance), common_alignment(p.y, p.y_distance), z};
  }
  static bool same(const device_product& a, const device_product& b) {
    return a.type == b.type && a.math.precision == b.math.precision && a.m == b.m && a.n == b.n && a.k == b.k &&
           a.batches == b.batches && a.x_strides[0] == b.x_strides[0] && a.x_strides[1] == b.x_strides[1] &&
           a.y_strides[0] == b.y_strides[0] && a.y_strides[1] == b.y_strides[1] && a.x_batch == b.x_batch &&
           a.y_batch == b.y_batch && a.factors_on_device == b.factors_on_device &&
           (a.bias == nullptr) == (b.bias == nullptr) && a.function == b.function && a.is_gradient == b.is_gradient &&
           (a.aux == nullptr) == (b.aux == nullptr) && (a.sums == nullptr) == (b.sums == nullptr) &&
           alignments_of(a) == alignments_of(b);
  }
  const plan& plan_of(const device_product& product, const char* what) {
    for (const plan& p : plans_)
      if (same(p.shape, product)) return p;
    if (handle_ == nullptr) check(cublasLtCreate(&handle_), what);
    if (plans_.size() == most_plans) {
      destroy(plans_.front());
      plans_.pop_front();
    }
    plans_.push_back(make(product, what));
    return plans_.back();
  }
  static device_product without_epilogue(device_product p) {
    p.bias = nullptr;
    p.function = product_function::none;
    p.is_gradient = false;
    p.aux = p.sums = nullptr;
    return p;
  }
  /// Whether a probe finds what it should. It runs once, then its answer is `known`.
  template <class Probe>
  static bool passes(Probe probe, std::optional<bool>& known, cudaStream_t stream) {
    if (!known) known = probe.run(stream).value_or(false);
    return *known;
  }
  /// Whether no sum of a product may be divided among blocks, because of its epilogue.
  static bool keeps_sums_whole(const device_product& product) {
    return product.function != product_function::none || product.sums != nullptr;
  }
  /// Whether the algorithm of a product divides each sum among several blocks.
  bool divides_sums(const device_product& product, const char* what) {
    const plan& p = plan_of(product, what);
    std::int32_t splits = 1;
    std::size_t written = 0;
    return p.status == CUBLAS_STATUS_SUCCESS &&
           cublasLtMatmulAlgoConfigGetAttribute(&p.algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, &splits, sizeof splits,
                                                &written) == CUBLAS_STATUS_SUCCESS &&
           splits > 1;
  }
  static void destroy(const plan& p) {
    if (p.operation != nullptr) (void)cublasLtMatmulDescDestroy(p.operation);
    for (cublasLtMatrixLayout_t layout : {p.x, p.y, p.z})
      if (layout != nullptr) (void)cublasLtMatrixLayoutDestroy(layout);
  }

  /// A row-major matrix (rows, columns) with these strides as cuBLAS sees it: column-major (columns, rows), or
  /// transposed.
  struct view {
    bool transposed;
    std::int64_t leading;
  };
  static view view_of(std::int64_t rows, std::int64_t columns, const std::int64_t* strides) {
    if (strides[1] == 1 || columns == 1)
      return {false, rows == 1 ? std::max<std::int64_t>(columns, 1) : std::max(strides[0], columns)};
    return {true, columns == 1 ? std::max<std::int64_t>(rows, 1) : std::max(strides[1], rows)};
  }
  cublasLtMatrixLayout_t layout(cudaDataType_t type, std::int64_t rows, std::int64_t columns, const view& v,
                                std::int64_t batches, std::int64_t batch, const char* what) const {
    cublasLtMatrixLayout_t made = nullptr;
    const std::int64_t across = v.transposed ? rows : columns, along = v.transposed ? columns : rows;
    check(cublasLtMatrixLayoutCreate(&made, type, static_cast<std::uint64_t>(across), static_cast<std::uint64_t>(along),
                                     v.leading),
          what);
    const auto count = static_cast<std::int32_t>(batches);
    check(cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count), what);
    check(cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &batch, sizeof batch),
          what);
    return made;
  }
  static cublasComputeType_t compute_of(const device_product& product) {
    if (product.type == dtype::float64) return CUBLAS_COMPUTE_64F;
    if (product.math.precision == product_precision::tf32) return CUBLAS_COMPUTE_32F_FAST_TF32;
    return product.math.precision == product_precision::bf16 ? CUBLAS_COMPUTE_32F_FAST_16BF : CUBLAS_COMPUTE_32F;
  }
  template <class T>
  static void set(const plan& p, cublasLtMatmulDescAttributes_t attribute, const T& value, const char* what) {
    check(cublasLtMatmulDescSetAttribute(p.operation, attribute, &value, sizeof value), what);
  }
  static cublasLtEpilogue_t epilogue_of(const device_product& product) {
    const bool has_bias = product.bias != nullptr, has_sums = product.sums != nullptr, keeps = product.aux != nullptr;
    switch (product.function) {
      case product_function::none:
        if (has_sums) return CUBLASLT_EPILOGUE_BGRADA;  // y is A, see try_multiply
        return has_bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
      case product_function::relu:
        if (product.is_gradient) return has_sums ? CUBLASLT_EPILOGUE_DRELU_BGRAD : CUBLASLT_EPILOGUE_DRELU;
        if (keeps) return has_bias ? CUBLASLT_EPILOGUE_RELU_AUX_BIAS : CUBLASLT_EPILOGUE_RELU_AUX;
        return has_bias ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
      default:
        if (product.is_gradient) return has_sums ? CUBLASLT_EPILOGUE_DGELU_BGRAD : CUBLASLT_EPILOGUE_DGELU;
        if (keeps) return has_bias ? CUBLASLT_EPILOGUE_GELU_AUX_BIAS : CUBLASLT_EPILOGUE_GELU_AUX;
        return has_bias ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
    }
  }
  /// Sets the addresses of the operands that the epilogue reads and writes.
  static void set_addresses(const plan& p, const device_product& product, const char* what) {
    if (product.bias != nullptr) set(p, CUBLASLT_MATMUL_DESC_BIAS_POINTER, product.bias, what);
    if (product.sums != nullptr) set(p, CUBLASLT_MATMUL_DESC_BIAS_POINTER, product.sums, what);
    if (product.aux == nullptr) return;
    set(p, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, product.aux, what);
    set(p, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD,
        product.function == product_function::relu ? mask_stride(product.n) : product.n, what);
  }
  plan make(const device_product& product, const char* what) const {
    plan p;
    p.shape = product;
    const bool is_float = product.type == dtype::float32;
    const cudaDataType_t type = is_float ? CUDA_R_32F : CUDA_R_64F;
    try {
      check(cublasLtMatmulDescCreate(&p.operation, compute_of(product), type), what);
      const view x = view_of(product.m, product.k, product.x_strides),
                 y = view_of(product.k, product.n, product.y_strides);
      const cublasOperation_t of_x = x.transposed ? CUBLAS_OP_T : CUBLAS_OP_N,
                              of_y = y.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
      set(p, CUBLASLT_MATMUL_DESC_TRANSA, of_y, what);
      set(p, CUBLASLT_MATMUL_DESC_TRANSB, of_x, what);
      set(p, CUBLASLT_MATMUL_DESC_POINTER_MODE,
          product.factors_on_device ? CUBLASLT_POINTER_MODE_DEVICE : CUBLASLT_POINTER_MODE_HOST, what);
      set(p, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue_of(product), what);
      set_addresses(p, product, what);
      p.x = layout(type, product.m, product.k, x, product.batches, product.x_batch, what);
      p.y = layout(type, product.k, product.n, y, product.batches, product.y_batch, what);
      p.z = layout(type, product.m, product.n, view{false, product.n}, product.batches, product.m * product.n, what);
      find(p, what);
    } catch (...) {
      destroy(p);
      throw;
    }
    return p;
  }
  /// Finds the fastest algorithm that adds in a fixed order, and not in the order in which blocks happen to end, if
  /// there is one. A product with a function or with sums divides no sum at all: the code that would combine the parts
  /// at the end is not the code that the probe has tried.
  void find(plan& p, const char* what) const {
    cublasLtMatmulPreference_t wish = nullptr;
    check(cublasLtMatmulPreferenceCreate(&wish), what);
    const std::size_t most = workspace_bytes;
    const std::uint32_t no_splits_in_place =
        CUBLASLT_REDUCTION_SCHEME_MASK & ~std::uint32_t{CUBLASLT_REDUCTION_SCHEME_INPLACE};
    const std::uint32_t splits =
        keeps_sums_whole(p.shape) ? std::uint32_t{CUBLASLT_REDUCTION_SCHEME_NONE} : no_splits_in_place;
    const alignments aligned = alignments_of(p.shape);
    cublasLtMatmulHeuristicResult_t found{};
    int count = 0;
    cublasStatus_t status =
        cublasLtMatmulPreferenceSetAttribute(wish, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof most);
    const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t attribute, const std::uint32_t& value) {
      if (status == CUBLAS_STATUS_SUCCESS)
        status = cublasLtMatmulPreferenceSetAttribute(wish, attribute, &value, sizeof value);
    };
    prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, splits);
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, aligned.y);  // z' = y' x'
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, aligned.x);
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, aligned.z);
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, aligned.z);
    if (status == CUBLAS_STATUS_SUCCESS)
      status = cublasLtMatmulAlgoGetHeuristic(handle_, p.operation, p.y, p.x, p.z, p.z, wish, 1, &found, &count);
    (void)cublasLtMatmulPreferenceDestroy(wish);
    p.status = status != CUBLAS_STATUS_SUCCESS ? status : count == 0 ? CUBLAS_STATUS_NOT_SUPPORTED : found.state;
    p.algorithm = found.algo;
    p.workspace = static_cast<std::int64_t>(found.workspaceSize);
  }
};

}  // namespace kroton::runtime::on_cuda
