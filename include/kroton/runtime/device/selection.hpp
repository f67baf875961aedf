// This header has where a device writes what it selects.
//
//     4 of the positions {1, 2, 4, 6, 7}, behind the 3 that *behind says  ->  elements 3, 4, 5, 6 are 1, 2, 4, 6
#pragma once

#include <kroton/runtime/device/parts.hpp>

#include <cstdint>
#include <iterator>

namespace kroton::runtime::on_device {

/// An iterator over the elements of `positions`, from the first or from element `*behind` on; what would be element
/// `most` of `positions` or a later one is not written.
class selection_target {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = void;
  using difference_type = std::int64_t;
  using pointer = void;
  using reference = selection_target;

  selection_target(std::int64_t* positions, std::int64_t most, const std::int64_t* behind)
      : positions_(positions), most_(most), behind_(behind) {}
  KROTON_DEVICE selection_target operator+(std::int64_t i) const {
    selection_target there = *this;
    there.i_ += i;
    return there;
  }
  KROTON_DEVICE selection_target operator[](std::int64_t i) const { return *this + i; }
  KROTON_DEVICE selection_target operator*() const { return *this; }
  /// Writes the element that the iterator is at.
  KROTON_DEVICE void operator=(std::int64_t position) const {
    const std::int64_t at = behind_ == nullptr ? i_ : *behind_ + i_;
    if (at < most_) positions_[at] = position;
  }

 private:
  std::int64_t* positions_;
  std::int64_t most_;
  const std::int64_t* behind_;
  std::int64_t i_ = 0;
};

}  // namespace kroton::runtime::on_device
