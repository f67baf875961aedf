// What a compiled function accepts as an argument: tensors, views, contiguous ranges for vectors, numbers for scalars.
#pragma once

#include <kroton/expr/expr.hpp>
#include <kroton/runtime/tensor.hpp>

#include <bit>
#include <limits>
#include <ranges>

namespace kroton {

/// Memory that a call reads or writes.
struct memory_range {
  const std::byte* begin = nullptr;
  std::int64_t bytes = 0;
  bool overlaps(const memory_range& other) const {
    const auto here = std::bit_cast<std::uintptr_t>(begin), there = std::bit_cast<std::uintptr_t>(other.begin);
    return here < there + static_cast<std::uintptr_t>(other.bytes) && there < here + static_cast<std::uintptr_t>(bytes);
  }
};
template <class T, std::size_t Rank>
memory_range memory_of(const T* data, const std::array<std::int64_t, Rank>& extents) {
  std::int64_t bytes = data == nullptr ? 0 : static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t e : extents) bytes *= e;
  return {reinterpret_cast<const std::byte*>(data), bytes};
}
template <class T, int Rank>
memory_range memory_of(const tensor<T, Rank>& x) {
  return memory_of(x.place(), x.extents());
}
/// Whether a tensor of these extents has elements.
template <std::size_t Rank>
bool has_elements(const std::array<std::int64_t, Rank>& extents) {
  for (std::int64_t e : extents)
    if (e == 0) return false;
  return true;
}
/// Whether the first `Count` ranges have nothing in common with any other.
template <std::size_t Count, std::size_t All>
bool are_apart(const memory_range (&ranges)[All]) {
  for (std::size_t i = 0; i < Count; ++i)
    for (std::size_t j = i + 1; j < All; ++j)
      if (ranges[i].overlaps(ranges[j])) return false;
  return true;
}

/// Whether results can be put into a `Result`: a tensor, or a tuple of references to tensors, of their element types and ranks.
template <class Result>
inline constexpr bool is_tensor = false;
template <class T, int Rank>
inline constexpr bool is_tensor<tensor<T, Rank>> = true;
template <class Result, class... Out>
constexpr bool can_take(std::tuple<Out...>*) {
  if constexpr (is_tensor<Result>) return std::is_same_v<std::tuple<Result>, std::tuple<tensor<typename Out::element, Out::rank>...>>;
  else return std::is_same_v<Result, std::tuple<tensor<typename Out::element, Out::rank>&...>>;
}

/// Whether `T` can hold a number: an integer in its range; 0 or 1 of bool; of floats what does not become infinite.
template <class T, class X>
constexpr bool holds(X x) {
  if constexpr (is_floating(dtype_of<T>)) {
    const auto infinite = [](auto y) { return y - y != 0 && y == y; };
    return infinite(static_cast<double>(x)) || !infinite(static_cast<double>(static_cast<T>(x)));
  } else if constexpr (std::is_same_v<T, bool>) {
    return x == X(0) || x == X(1);
  } else if (x < X(0)) {
    return std::is_signed_v<T> && static_cast<long long>(x) >= static_cast<long long>(std::numeric_limits<T>::min());
  } else {
    return static_cast<unsigned long long>(x) <= static_cast<unsigned long long>(std::numeric_limits<T>::max());
  }
}

/// Throws kt::error if two outputs go into one tensor.
void require_different(std::initializer_list<const void*> results);

/// An argument as bytes and extents; a number is kept here.
template <class T, int Rank>
struct bound_argument {
  const T* data = nullptr;
  std::array<std::int64_t, static_cast<std::size_t>(Rank)> extents{};
  T number{};
  bool fits = true;        ///< whether `T` can hold the number that was given
  message_part given = 0;  ///< that number, if it does not

  bound_argument(const tensor<T, Rank>& x) : data(x.data()), extents(x.extents()) {}
  bound_argument(const view<const T, Rank>& x)
    requires(Rank > 0)
      : data(x.data()), extents(x.extents()) {}
  template <class X>
    requires(Rank == 0 && literal<X> && (is_floating(dtype_of<T>) || std::is_integral_v<X>))
  bound_argument(X x) : number(static_cast<T>(x)), fits(holds<T>(x)) {
    if (fits) return;
    if constexpr (std::is_integral_v<X>) given = x;
    else given = static_cast<double>(x);
  }
  template <class X>
    requires(Rank == 1 && !is_tensor<X>) && std::ranges::contiguous_range<X> && std::is_same_v<std::ranges::range_value_t<X>, T>
  bound_argument(const X& x)
      : data(std::ranges::data(x)), extents{static_cast<std::int64_t>(std::ranges::size(x))} {}

  memory_range memory() const { return memory_of(data, extents); }
  const std::byte* bytes() const { return reinterpret_cast<const std::byte*>(data == nullptr && Rank == 0 ? &number : data); }
};

template <class X>
using argument_of = bound_argument<typename X::element, X::rank>;

/// What is wrong with an argument of type `X` for parameter `P`.
template <class P, class X>
constexpr complaint argument_problem() {
  if (std::is_constructible_v<argument_of<P>, const X&>) return complaint::none;
  return P::rank == 0 && literal<X> ? complaint::fraction : complaint::argument;
}

/// The first of the arguments `X...` that does not fit its parameter, and what is wrong with it.
struct unfit_argument {
  std::size_t position = 0;
  complaint problem = complaint::none;
};
template <class... P, class... X>
constexpr unfit_argument first_unfit(std::tuple<P...>*, std::tuple<X...>*) {
  unfit_argument first;
  if constexpr (sizeof...(P) != sizeof...(X))
    first.problem = complaint::argument_count;
  else
    (void)((first.problem = argument_problem<P, X>(), first.problem == complaint::none && ++first.position) && ...);
  return first;
}

}  // namespace kroton

#if KROTON_HAS_DEFINITIONS
#include <kroton/runtime/arguments.ipp>
#endif
