// This header has the backend of files that include kroton/cuda.hpp: the host and GPUs.
#pragma once

#include <kroton/runtime/cuda/launch.hpp>
#include <kroton/runtime/placed_kernels.hpp>

namespace kroton::runtime::on_cuda {

/// Compiles functions for the host and for GPUs.
struct backend {
  static constexpr backend_kind kind = backend_kind::cuda;
  template <class Code>
  using kernels_of = on_device::kernels_of<Code, launch>;
};

}  // namespace kroton::runtime::on_cuda
