// This file checks indices before a step uses them, and before memory is written that a failed call must leave as it
// was.
#pragma once

#include <kroton/runtime/context/error.hpp>
#include <kroton/runtime/program/parallel.hpp>
#include <kroton/runtime/program/step_runners.hpp>

#include <algorithm>
#include <atomic>
#include <limits>
#include <type_traits>

namespace kroton::runtime {

class index_checker {
 public:
  explicit index_checker(const index_call& call)
      : check_(call.check), buffer_(call.plan.buffers[call.check.where.buffer]), symbols_(call.symbols),
        start_(call.start), bound_(value(check_.bound)), threads_(call.threads) {}

  /// Throws index_error for the first index outside [0, bound).
  void run() const {
    std::int64_t position = 0;
    walk(start_ + value(check_.where.offset) * size_of(buffer_.type), 0, position);
  }

 private:
  const index_range_check& check_;
  const buffer& buffer_;
  const std::int64_t* symbols_;
  const std::byte* start_;
  std::int64_t bound_;
  int threads_;

  std::int64_t value(extent_code e) const { return extent_value(e, symbols_); }

  void walk(const std::byte* at, int axis, std::int64_t& position) const {
    const bool is_last = axis + 1 >= check_.extents.rank;
    const std::int64_t count = check_.extents.rank == 0 ? 1 : value(check_.extents[axis]);
    const std::int64_t stride = check_.extents.rank == 0 ? 0 : value(check_.where.stride[axis]) * size_of(buffer_.type);
    if (is_last) return look(at, count, stride, position);
    for (std::int64_t i = 0; i < count; ++i) walk(at + i * stride, axis + 1, position);
  }
  template <class T>
  bool is_inside(T index) const {
    return static_cast<std::uint64_t>(index) < static_cast<std::uint64_t>(bound_);
  }
  /// The largest index as a number without sign is below the bound, or some index is negative or too large.
  template <class T>
  bool are_inside(const T* indices, std::int64_t count) const {
    using magnitude = std::make_unsigned_t<T>;
    magnitude largest = 0;
    for (std::int64_t i = 0; i < count; ++i) largest = std::max(largest, static_cast<magnitude>(indices[i]));
    return largest <= static_cast<magnitude>(std::numeric_limits<T>::max()) &&
           largest < static_cast<std::uint64_t>(bound_);
  }
  /// Whether `count` indices side by side are inside; several threads look at many.
  template <class T>
  bool all_are_inside(const T* indices, std::int64_t count) const {
    constexpr std::int64_t least = 131072;  // indices for which a thread is worth its start
    std::atomic<bool> good = true;
    parallel_for(count, least, threads_, [&](std::int64_t begin, std::int64_t end) {
      if (!are_inside(indices + begin, end - begin)) good.store(false, std::memory_order_relaxed);
    });
    return good;
  }
  /// Checks `count` indices, `stride` bytes apart.
  void look(const std::byte* at, std::int64_t count, std::int64_t stride, std::int64_t& position) const {
    with_element(buffer_.type, [&]<class T>() {
      if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        if (count > 0 && !(stride == sizeof(T) && all_are_inside(reinterpret_cast<const T*>(at), count)))
          for (std::int64_t i = 0; i < count; ++i) {
            const T index = *reinterpret_cast<const T*>(at + i * stride);
            if (!is_inside(index)) refuse(index, position + i);
          }
        position += count;
      }
    });
  }
  [[noreturn]] void refuse(const message_part& index, std::int64_t position) const {
    const char* const holders[] = {" of argument ", " of shared variable ", " of output ", " of a computed tensor"};
    const std::string which = buffer_.kind == buffer_kind::temporary ? ""
                              : buffer_.kind == buffer_kind::shared  ? buffer_.name
                              : *buffer_.argument != '\0'            ? buffer_.argument
                                                                     : std::to_string(buffer_.index + 1);
    throw index_error(message("kroton: index ", index, " at position ", position,
                              holders[static_cast<int>(buffer_.kind)], which, " is outside [0, ", bound_, ")"));
  }
};

KROTON_DEFINITION void check_indices(const index_call& call) { index_checker(call).run(); }

}  // namespace kroton::runtime
