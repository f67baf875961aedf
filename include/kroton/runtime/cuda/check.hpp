// This header throws errors of CUDA and of its libraries as device_error.
#pragma once

#include <kroton/runtime/context/error.hpp>

#include <cublasLt.h>
#include <cuda_runtime.h>

#include <new>

namespace kroton::runtime::on_cuda {

/// Throws an error of CUDA. `what`: the requested operation. An error that an earlier kernel has left in CUDA is
/// reported too.
inline void check(cudaError_t found, const char* what) {
  if (found == cudaSuccess) return;
  (void)cudaGetLastError();  // clears the error, which is reported now
  if (found == cudaErrorMemoryAllocation)
    throw memory_error(message("kroton: ", what, ": the device has no memory left (", cudaGetErrorString(found), ")"));
  throw device_error(message("kroton: ", what, ": ", cudaGetErrorName(found), ": ", cudaGetErrorString(found)));
}
/// The same for allocations: throws bad_alloc when no memory is left, as all memory resources do.
inline void check_allocation(cudaError_t found, const char* what) {
  if (found != cudaErrorMemoryAllocation) return check(found, what);
  (void)cudaGetLastError();
  throw std::bad_alloc();
}
inline void check(cublasStatus_t found, const char* what) {
  if (found != CUBLAS_STATUS_SUCCESS)
    throw device_error(
        message("kroton: ", what, ": ", cublasLtGetStatusName(found), ": ", cublasLtGetStatusString(found)));
}

/// Makes `device` the current device of CUDA while the object lives.
class current_device {
 public:
  explicit current_device(int device) {
    check(cudaGetDevice(&before_), "cudaGetDevice");
    if (before_ != device) check(cudaSetDevice(device), "cudaSetDevice");
    else before_ = -1;
  }
  /// For destructors, which cannot throw errors.
  current_device(int device, std::nothrow_t) noexcept {
    if (cudaGetDevice(&before_) != cudaSuccess || before_ == device || cudaSetDevice(device) != cudaSuccess)
      before_ = -1;
  }
  current_device(const current_device&) = delete;
  current_device& operator=(const current_device&) = delete;
  ~current_device() {
    if (before_ >= 0) (void)cudaSetDevice(before_);
  }

 private:
  int before_ = -1;
};

}  // namespace kroton::runtime::on_cuda
