// This header has memory of a context for the elements of tensors that stay there, and the streams with which calls
// that use such elements are ordered.
//
//     placed_memory(cuda0, 1024)  ->  1024 bytes of the GPU; read(to) waits for the stream of cuda0 and copies them
#pragma once

#include <kroton/runtime/context/context.hpp>
#include <kroton/runtime/context/memory.hpp>

#include <optional>

namespace kroton::runtime {

/// The work that a call comes after, and that comes after the call: on the stream of a context, or on a stream of the
/// user, where null is CUDA's default stream. Neither: the elements are in memory of the host.
struct stream_use {
  device_stream* stream = nullptr;
  void* users = nullptr;
  bool is_users = false;

  static stream_use of_user(void* stream) { return stream_use{nullptr, stream, true}; }
};

/// Memory of a context. Its bytes count in the budget of the context.
class placed_memory {
 public:
  placed_memory() = default;
  /// Throws memory_error if the memory or the budget of `where` does not have so many bytes.
  placed_memory(const context& where, std::int64_t bytes);
  placed_memory(placed_memory&&) = default;
  placed_memory& operator=(placed_memory&& other) noexcept {
    block_ = std::move(other.block_);  // before the context to which it belongs
    where_ = std::move(other.where_);
    return *this;
  }

  std::byte* data() const { return block_.data(); }
  std::int64_t bytes() const { return block_.size(); }
  /// The context; none, if the memory was never taken.
  const std::optional<context>& where() const { return where_; }
  /// Whether an output of so many elements can lie here, if the context of its place is `here`.
  bool fits(const context& here, std::int64_t elements) const;
  /// Copies all bytes to memory of the host, or from there, and waits until that is done.
  void read(std::byte* to) const;
  void write(const std::byte* from);
  /// The same bytes in other memory of the context.
  placed_memory copy() const;
  /// Copies the bytes at `from`, which lie in the context too.
  void fill(const std::byte* from, const stream_use& use);
  /// Copies all bytes to `to` in the same context.
  void give(std::byte* to, const stream_use& use) const;
  /// Waits for the work on the stream of the context.
  void wait() const;
  stream_use use() const;

 private:
  std::optional<context> where_;
  context_block block_;
};

/// Throws shape_error: a view for an output has other extents than the output.
[[noreturn]] void refuse_extents(list_view<std::int64_t> given, list_view<std::int64_t> wanted);
/// Throws shape_error: a view for an output has a null pointer.
[[noreturn]] void refuse_null_view();
/// Throws device_error if tensors that lie in the context `there` cannot be used in the context `here`.
void require_same_device(const std::optional<context>& there, const context& here);
/// Throws device_error if `start` is no address of the memory of the context `where`.
void require_memory_of(const context& where, const std::byte* start);
/// Throws value_error if the tensor of an argument has no memory yet.
void require_memory(const placed_memory& memory);
/// Whether `start` is aligned as buffers of the context are, so that kernels and products can use it as it is.
bool is_aligned_for(const context& where, const std::byte* start);

}  // namespace kroton::runtime

#if KROTON_HAS_DEFINITIONS
#include <kroton/runtime/context/placed_memory.ipp>
#endif
