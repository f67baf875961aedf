// This header copies between memory of the host and of a context, and lets the host wait for the copy.
#pragma once

#include <kroton/runtime/context/context.hpp>
#include <kroton/runtime/context/driver.hpp>
#include <kroton/runtime/context/memory.hpp>

#include <algorithm>
#include <cstring>

namespace kroton::runtime {

/// Memory of the host that devices copy from and to.
inline context_block staging_block(std::int64_t bytes) {
  return context_block(
      std::make_shared<memory_account>(std::numeric_limits<std::int64_t>::max(), installed_driver()->staging()), bytes);
}

/// The staging memory that a stream keeps for copies for which the host waits, for at least `bytes` of them or for as
/// many as it has at most. It is kept because memory takes long to pin: up to a millisecond.
inline const context_block& kept_staging(device_stream& stream, std::int64_t bytes) {
  constexpr std::int64_t least = std::int64_t{1} << 12, most = std::int64_t{1} << 20;
  if (stream.staged.size() < std::min(bytes, most)) {
    stream.staged = {};
    stream.staged = staging_block(bytes <= least ? least : most);
  }
  return stream.staged;
}
/// Calls `piece(staged, first, count)` for one piece of `bytes` after the other, with staging memory for it.
template <class Piece>
void in_pieces(device_stream& stream, std::int64_t bytes, const Piece& piece) {
  const std::lock_guard lock(stream.mutex);
  for (std::int64_t first = 0; first < bytes;) {
    const context_block& staged = kept_staging(stream, bytes - first);
    const std::int64_t count = std::min(bytes - first, staged.size());
    piece(staged.data(), first, count);
    first += count;
  }
}
/// Copies from memory of the host to that of the device of a stream, and waits. `what`: an operation, for messages.
inline void write_to(device_stream& stream, std::byte* to, const std::byte* from, std::int64_t bytes,
                     const char* what) {
  in_pieces(stream, bytes, [&](std::byte* staged, std::int64_t first, std::int64_t count) {
    std::memcpy(staged, from + first, static_cast<std::size_t>(count));
    stream.copy_in(to + first, staged, count, what);
    stream.synchronize();
  });
}
/// Copies from memory of the device of a stream to that of the host, after all earlier work on the stream.
inline void read_from(device_stream& stream, std::byte* to, const std::byte* from, std::int64_t bytes,
                      const char* what) {
  in_pieces(stream, bytes, [&](std::byte* staged, std::int64_t first, std::int64_t count) {
    stream.copy_out(staged, from + first, count, what);
    stream.synchronize();
    std::memcpy(to + first, staged, static_cast<std::size_t>(count));
  });
}

/// Copies from memory of the host to memory of the context `where`.
inline void copy_in(const context& where, std::byte* to, const std::byte* from, std::int64_t bytes) {
  if (bytes == 0) return;
  if (where.stream() == nullptr) std::memcpy(to, from, static_cast<std::size_t>(bytes));
  else write_to(*where.stream(), to, from, bytes, "shared variable");
}
/// Copies from memory of the context `where` to memory of the host, after all earlier work on the stream of the
/// context.
inline void copy_out(const context& where, std::byte* to, const std::byte* from, std::int64_t bytes) {
  if (bytes == 0) return;
  if (where.stream() == nullptr) std::memcpy(to, from, static_cast<std::size_t>(bytes));
  else read_from(*where.stream(), to, from, bytes, "shared variable");
}

}  // namespace kroton::runtime
