// This file copies to, from and within memory of contexts, in the order of their streams.
#pragma once

#include <kroton/runtime/context/context_copy.hpp>
#include <kroton/runtime/context/placed_memory.hpp>

#include <cstring>

namespace kroton::runtime {

/// Copies within the context `where`, after the work of `use`, which comes after it again.
[[gnu::cold]] KROTON_DEFINITION void copy_within(const context& where, std::byte* to, const std::byte* from,
                                                 std::int64_t bytes, const stream_use& use) {
  if (bytes == 0) return;
  device_stream* const stream = where.stream();
  if (stream == nullptr) {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
    return;
  }
  const std::lock_guard lock(stream->mutex);
  if (use.is_users) stream->wait_for_users(use.users);
  stream->copy(to, from, bytes, "tensor");
  if (use.is_users) stream->go_before_users(use.users);
}

[[gnu::cold]] KROTON_DEFINITION placed_memory::placed_memory(const context& where, std::int64_t bytes)
    : where_(where), block_(where.account(), bytes) {}
KROTON_DEFINITION bool placed_memory::fits(const context& here, std::int64_t elements) const {
  return where_ && where_->account() == here.account() && (elements == 0 || data() != nullptr);
}
[[gnu::cold]] KROTON_DEFINITION void placed_memory::read(std::byte* to) const {
  if (bytes() > 0) copy_out(*where_, to, data(), bytes());
}
[[gnu::cold]] KROTON_DEFINITION void placed_memory::write(const std::byte* from) {
  if (bytes() > 0) copy_in(*where_, data(), from, bytes());
}
[[gnu::cold]] KROTON_DEFINITION placed_memory placed_memory::copy() const {
  if (!where_) return {};
  placed_memory other(*where_, bytes());
  other.fill(data(), {});
  return other;
}
KROTON_DEFINITION void placed_memory::fill(const std::byte* from, const stream_use& use) {
  copy_within(*where_, data(), from, bytes(), use);
}
KROTON_DEFINITION void placed_memory::give(std::byte* to, const stream_use& use) const {
  copy_within(*where_, to, data(), bytes(), use);
}
KROTON_DEFINITION void placed_memory::wait() const {
  if (!where_ || where_->stream() == nullptr) return;
  const std::lock_guard lock(where_->stream()->mutex);
  where_->stream()->synchronize();
}
KROTON_DEFINITION stream_use placed_memory::use() const {
  return {where_ ? where_->stream() : nullptr, nullptr, false};
}

[[gnu::cold]] KROTON_DEFINITION void refuse_extents(list_view<std::int64_t> given, list_view<std::int64_t> wanted) {
  const auto text = [](list_view<std::int64_t> extents) {
    std::string all = "(";
    for (std::int64_t e : extents) all += message(all.size() > 1 ? ", " : "", e);
    return all + ")";
  };
  throw shape_error(message("kroton: into: the output has extents ", text(wanted), ", and the view ", text(given)));
}
[[gnu::cold]] KROTON_DEFINITION void refuse_null_view() {
  throw shape_error("kroton: into: the pointer of the view is null, but the output has elements");
}
[[gnu::cold]] KROTON_DEFINITION void require_same_device(const std::optional<context>& there, const context& here) {
  if (!there || (there->stream() == nullptr && here.stream() == nullptr) || there->where() == here.where()) return;
  throw device_error(message("kroton: a tensor lies on ", there->where().name(), ", and the function runs on ",
                             here.where().name(), "; make it in the context of the session"));
}
[[gnu::cold]] KROTON_DEFINITION void require_memory_of(const context& where, const std::byte* start) {
  if (start == nullptr || where.stream() == nullptr || installed_driver()->holds(where.where().index, start)) return;
  throw device_error(message("kroton: view_at: the elements are not in memory of ", where.where().name()));
}
[[gnu::cold]] KROTON_DEFINITION void require_memory(const placed_memory& memory) {
  if (memory.data() == nullptr) throw value_error("kroton: an argument is a kt::tensor_at that was given no elements");
}
KROTON_DEFINITION bool is_aligned_for(const context& where, const std::byte* start) {
  return where.stream() == nullptr || reinterpret_cast<std::uintptr_t>(start) % device_alignment == 0;
}

}  // namespace kroton::runtime
