// This file names the products that the program uses, and asks a CBLAS for its name and kernels.
#pragma once

#include <kroton/runtime/context/product_library.hpp>

#include <string_view>

namespace kroton::runtime {

#ifdef KROTON_BLAS
// Functions of OpenBLAS, null with any other CBLAS. They have other names here, because cblas.h declares them too, but
// not in every release with the same types.
extern "C" {
[[gnu::weak]] const char* kroton_openblas_config() __asm__("openblas_get_config");
[[gnu::weak]] const char* kroton_openblas_kernels() __asm__("openblas_get_corename");
}

[[gnu::cold]] KROTON_DEFINITION std::string product_library() {
  if (kroton_openblas_config == nullptr || kroton_openblas_kernels == nullptr)
    return "a CBLAS that is not linked or does not tell its name";
  std::string_view config = kroton_openblas_config();  // the name, the release, and how it was built
  config = config.substr(0, config.find(' ', config.find(' ') + 1));
  return std::string(config) + ", kernels for " + kroton_openblas_kernels();
}
#else
[[gnu::cold]] KROTON_DEFINITION std::string product_library() {
#if defined(__AVX512F__)
  return "Kroton's own products, for AVX-512";
#elif defined(__AVX2__)
  return "Kroton's own products, for AVX2";
#else
  return "Kroton's own products";
#endif
}
#endif

}  // namespace kroton::runtime
