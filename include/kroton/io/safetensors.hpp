// This header saves the shared variables of a session as a safetensors file, and loads them from one.
#pragma once

#include <kroton/io/header.hpp>
#include <kroton/runtime/saving.hpp>
#include <kroton/runtime/shared_storage.hpp>

namespace kroton::io {

/// The format of `session.save` and `session.load`.
struct safetensors {
  static void save(const runtime::shared_storage& variables, const std::string& path);
  static void load(runtime::shared_storage& variables, const std::string& path, const load_options& options);
};

}  // namespace kroton::io

#if KROTON_HAS_DEFINITIONS
#include <kroton/io/safetensors.ipp>
#endif
