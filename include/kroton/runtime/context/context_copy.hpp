// This header copies between memory of the host and of a context, and lets the host wait for the copy.
#pragma once

#include <kroton/runtime/context/context.hpp>
#include <kroton/runtime/context/driver.hpp>
#include <kroton/runtime/context/memory.hpp>

#include <cstring>

namespace kroton::runtime {

/// Memory of the host that devices copy from and to.
inline context_block staging_block(std::int64_t bytes) {
  return context_block(
      std::make_shared<memory_account>(std::numeric_limits<std::int64_t>::max(), installed_driver()->staging()), bytes);
}

/// Copies from memory of the host to memory of the context `where`.
inline void copy_in(const context& where, std::byte* to, const std::byte* from, std::int64_t bytes) {
  if (bytes == 0) return;
  if (where.stream() == nullptr) {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
    return;
  }
  const context_block staged = staging_block(bytes);
  const std::lock_guard lock(where.stream()->mutex);
  std::memcpy(staged.data(), from, static_cast<std::size_t>(bytes));
  where.stream()->copy_in(to, staged.data(), bytes, "shared variable");
  where.stream()->synchronize();
}
/// Copies from memory of the context `where` to memory of the host, after all earlier work on the stream of the
/// context.
inline void copy_out(const context& where, std::byte* to, const std::byte* from, std::int64_t bytes) {
  if (bytes == 0) return;
  if (where.stream() == nullptr) {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
    return;
  }
  const context_block staged = staging_block(bytes);
  const std::lock_guard lock(where.stream()->mutex);
  where.stream()->copy_out(staged.data(), from, bytes, "shared variable");
  where.stream()->synchronize();
  std::memcpy(to, staged.data(), static_cast<std::size_t>(bytes));
}

}  // namespace kroton::runtime
