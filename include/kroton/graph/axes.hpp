// Names of axes and ranges of indices, as users write them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <type_traits>

namespace kroton {

template <int... Axes>
struct axis_list {};
/// `axis<0>`, `axis<0, 2>`; negative axes count from the last.
template <int... Axes>
inline constexpr axis_list<Axes...> axis{};

inline constexpr struct keep_dims_tag {
} keep_dims{};  ///< reduced axes stay, with extent 1
template <class X>
concept keep_option = std::is_same_v<X, keep_dims_tag>;

/// Takes any argument, where no other function does.
struct anything {
  template <class X>
  constexpr anything(const X&) {}
};
/// What an argument in braces is taken for.
using in_braces = std::initializer_list<anything>;

/// The axes as a bit mask, or -1 when one is outside [-rank, rank).
template <int... Axes>
constexpr std::int64_t axis_mask(axis_list<Axes...>, int rank) {
  std::int64_t mask = 0;
  bool valid = true;
  ((valid = valid && Axes >= -rank && Axes < rank, mask |= std::int64_t{1} << ((Axes < 0 ? Axes + rank : Axes) & 31)), ...);
  return valid ? mask : -1;
}

constexpr std::int64_t all_axes(int rank) { return (std::int64_t{1} << rank) - 1; }

}  // namespace kroton
