// This header says what functions are compiled for in files that include kroton/cuda.hpp.
#pragma once

#include <kroton/runtime/cuda/launch.hpp>
#include <kroton/runtime/placed_kernels.hpp>

namespace kroton::runtime::on_cuda {

/// Functions compiled for the host and for GPUs.
struct backend {
  static constexpr backend_kind kind = backend_kind::cuda;
  template <class Code>
  using kernels_of = on_device::kernels_of<Code, launch>;
};

}  // namespace kroton::runtime::on_cuda
