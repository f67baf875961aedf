// Indices are looked at before they are used, and before anything is written that a failed call must leave as it was.
#pragma once

#include <kroton/passes/program.hpp>
#include <kroton/runtime/error.hpp>

namespace kroton::on_host {

class index_checker {
 public:
  index_checker(const plan_view& plan, const index_range_check& check, const std::int64_t* symbols, const std::byte* start)
      : check_(check), buffer_(plan.buffers[static_cast<std::size_t>(check.where.buffer)]), symbols_(symbols), start_(start),
        bound_(value(check.bound)) {}

  /// Throws index_error for the first index outside [0, bound).
  void run() const {
    with_element(buffer_.type, [&]<class T>() {
      std::int64_t position = 0;
      if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
        walk(reinterpret_cast<const T*>(start_) + value(check_.where.offset), 0, position);
    });
  }

 private:
  const index_range_check& check_;
  const buffer& buffer_;
  const std::int64_t* symbols_;
  const std::byte* start_;
  std::int64_t bound_;

  std::int64_t value(extent_code e) const { return extent_value(e, symbols_); }

  template <class T>
  void walk(const T* at, int axis, std::int64_t& position) const {
    if (axis == check_.extents.rank) {
      if (!(static_cast<std::uint64_t>(*at) < static_cast<std::uint64_t>(bound_))) refuse(*at, position);
      ++position;
      return;
    }
    const std::int64_t count = value(check_.extents[axis]), stride = value(check_.where.stride[axis]);
    for (std::int64_t i = 0; i < count; ++i) walk(at + i * stride, axis + 1, position);
  }
  template <class T>
  [[noreturn]] void refuse(T index, std::int64_t position) const {
    const char* const holders[] = {" of argument ", " of shared variable ", " of output ", " of a computed tensor"};
    const std::string holder = holders[static_cast<int>(buffer_.kind)];
    throw index_error(message("kroton: index ", index, " at position ", position, holder,
                              buffer_.kind == buffer_kind::temporary ? "" : std::to_string(buffer_.index + 1),
                              " is outside [0, ", bound_, ")"));
  }
};

}  // namespace kroton::on_host
