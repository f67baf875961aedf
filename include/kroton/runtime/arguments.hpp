// This header binds the arguments of a call: tensors, views, contiguous ranges for vectors, and numbers for scalars.
//
//     kt::view(pointer, {2, 3})  ->  address, extents {2, 3};  a view with gaps  ->  a packed copy of it
#pragma once

#include <kroton/expr/place.hpp>
#include <kroton/runtime/tensor.hpp>

#include <bit>
#include <ranges>

namespace kroton::tensors {
template <class T, int Rank, const place_name* Place>
class placed_tensor;
template <class T, int Rank, const place_name* Place>
struct placed_view;
}  // namespace kroton::tensors

namespace kroton::runtime {
using tensors::placed_tensor;
using tensors::placed_view;

/// Memory that a call reads or writes.
struct memory_range {
  const std::byte* begin = nullptr;
  std::int64_t bytes = 0;
  KROTON_INLINE bool overlaps(const memory_range& other) const {
    if (bytes == 0 || other.bytes == 0) return false;
    const auto here = std::bit_cast<std::uintptr_t>(begin), there = std::bit_cast<std::uintptr_t>(other.begin);
    const auto size = static_cast<std::uintptr_t>(bytes), other_size = static_cast<std::uintptr_t>(other.bytes);
    return there - here + (other_size - 1) < size + other_size - 1;  // the distance is in (-other_size, size)
  }
};
template <class T, std::size_t Rank>
KROTON_INLINE memory_range memory_of(const T* data, const std::array<std::int64_t, Rank>& extents) {
  const std::int64_t size = data == nullptr ? 0 : static_cast<std::int64_t>(sizeof(T));
  return {reinterpret_cast<const std::byte*>(data), size * element_count(extents)};
}
template <class T, int Rank>
KROTON_INLINE memory_range memory_of(const tensor<T, Rank>& x) {
  return memory_of(x.address(), x.extents());
}
/// Whether a tensor of these extents has elements.
template <std::size_t Rank>
bool has_elements(const std::array<std::int64_t, Rank>& extents) {
  for (std::int64_t e : extents)
    if (e == 0) return false;
  return true;
}
/// Whether these extents are the numbers `expected`.
template <std::size_t Rank>
KROTON_INLINE bool are_extents(const std::array<std::int64_t, Rank>& found, const std::int64_t* expected) {
  bool are = true;
  for (std::size_t axis = 0; axis < Rank; ++axis) are = are && found[axis] == expected[axis];
  return are;
}
/// Whether none of the first `Count` ranges overlaps any other range.
template <std::size_t Count, std::size_t All>
KROTON_INLINE bool are_apart(const memory_range (&ranges)[All]) {
  for (std::size_t i = 0; i < Count; ++i)
    for (std::size_t j = i + 1; j < All; ++j)
      if (ranges[i].overlaps(ranges[j])) return false;
  return true;
}

/// The place of elements; null: they are on the host.
template <class X>
inline constexpr const place_name* place_of_elements = nullptr;
template <class T, int Rank, const place_name* Place>
inline constexpr const place_name* place_of_elements<placed_tensor<T, Rank, Place>> = Place;
template <class T, int Rank, const place_name* Place>
inline constexpr const place_name* place_of_elements<placed_view<T, Rank, Place>> = Place;
template <class X>
inline constexpr bool is_view_at = false;
template <class T, int Rank, const place_name* Place>
inline constexpr bool is_view_at<placed_view<T, Rank, Place>> = true;

/// Whether an output, which is a tensor of type `Made`, can be put into a `To`: element types, ranks and places have to
/// be the same. See placed_results.hpp for memory of contexts.
template <class To, class Made>
inline constexpr bool takes = std::is_same_v<To, Made>;
/// Whether an output, which is a `Made`, can stay at the place of a `To`, where the caller wants to receive it.
template <class To, class Made>
inline constexpr bool receives = false;
/// The mistake in a `To` for an output.
template <class To, class Made>
constexpr complaint problem_of_target() {
  if (takes<To, Made>) return complaint::none;
  return is_same_place<place_of_elements<To>, place_of_elements<Made>> ? complaint::result_tensor
                                                                       : complaint::result_place;
}
/// The same of all targets for the outputs of a function.
template <class Targets, class Outputs>
inline constexpr complaint problem_of_targets = complaint::result_tensor;
template <class... To, class... Made>
  requires(sizeof...(To) == sizeof...(Made))
inline constexpr complaint problem_of_targets<std::tuple<To&...>, std::tuple<Made...>> = [] {
  for (const complaint each : {problem_of_target<To, Made>()..., complaint::none})
    if (each != complaint::none) return each;
  return complaint::none;
}();
template <class X>
inline constexpr bool is_tuple = false;
template <class... X>
inline constexpr bool is_tuple<std::tuple<X...>> = true;
/// What a caller gives to `into`, as references.
template <class Result>
using targets_of = std::conditional_t<is_tuple<std::remove_cvref_t<Result>>, std::remove_cvref_t<Result>,
                                      std::tuple<std::remove_cvref_t<Result>&>>;
/// The mistake in what a caller gives to `into`. An output would be lost in a tensor that is const or a temporary.
template <class Result, class Outputs>
constexpr complaint problem_of_result() {
  using given = std::remove_cvref_t<Result>;
  constexpr bool is_changeable =
      is_tuple<given> || is_view_at<given> ||
      (std::is_lvalue_reference_v<Result> && !std::is_const_v<std::remove_reference_t<Result>>);
  return is_changeable ? problem_of_targets<targets_of<Result>, Outputs> : complaint::result_tensor;
}

/// Throws kt::error if two outputs go into one tensor.
void require_different(std::initializer_list<const void*> results);

class context;
/// A packed copy of the elements of a view, and the bytes that it counts in a context.
struct packed_block {
  counted_bytes counted;
  aligned_block block;
};
/// Copies the elements of a view with gaps row by row into memory of the context `where` (null: of the system). The
/// copy is empty if an extent is 0 or negative. Throws memory_error if memory cannot hold the elements, or if the
/// budget does not allow them.
packed_block packed_elements(const std::byte* from, list_view<std::int64_t> extents, list_view<std::int64_t> strides,
                             std::size_t element_size, const context* where);

/// An argument as an address and extents; the value of a scalar argument may lie in `number`.
template <class T, int Rank>
struct argument_value {
  using element = T;
  const T* data = nullptr;
  std::array<std::int64_t, static_cast<std::size_t>(Rank)> extents{};
  T number{};
  bool fits = true;        ///< whether `T` can hold the number that the caller gave
  message_part given = 0;  ///< the number that `T` cannot hold

  KROTON_INLINE memory_range memory() const { return memory_of(data, extents); }
  const std::byte* bytes() const {
    return reinterpret_cast<const std::byte*>(data == nullptr && Rank == 0 ? &number : data);
  }
};

template <class T, int Rank>
class given_argument;

/// The same for an argument as the caller gave it, with a packed copy of a view with gaps.
template <class T, int Rank>
struct bound_argument : argument_value<T, Rank> {
  using value_type = argument_value<T, Rank>;
  struct nothing {};
  [[no_unique_address]] std::conditional_t<(Rank > 0), packed_block, nothing> packed;

  bound_argument(const tensor<T, Rank>& x) : value_type{x.data(), x.extents()} {}
  bound_argument(const value_type& x, const context*) requires(Rank == 0) : value_type(x) {}
  bound_argument(const view<const T, Rank>& x, const context* where = nullptr) requires(Rank > 0)
      : value_type{x.data(), x.extents()} {
    if (x.is_contiguous() || x.data() == nullptr) return;
    packed = packed_elements(reinterpret_cast<const std::byte*>(x.data()), x.extents(), x.strides(), sizeof(T), where);
    if (packed.block.data() != nullptr) this->data = reinterpret_cast<const T*>(packed.block.data());
  }
  template <class X>
    requires std::is_same_v<X, given_argument<T, Rank>> bound_argument(const X& x, const context* where = nullptr)
        : bound_argument(x.value(), where) {}
    template <class X>
      requires(Rank == 0 && literal<X> && (is_floating(dtype_of<T>) || std::is_integral_v<X>))
    bound_argument(X x) : value_type{nullptr, {}, static_cast<T>(x), holds(dtype_of<T>, x)} {
      if (this->fits) return;
      if constexpr (std::is_integral_v<X>) this->given = x;
      else this->given = static_cast<double>(x);
    }
    template <class X>
      requires(Rank == 1 && !is_tensor<X> && std::ranges::contiguous_range<X> &&
               (std::is_same_v<std::ranges::range_value_t<X>, T>))
    bound_argument(const X& x) : value_type{std::ranges::data(x), {static_cast<std::int64_t>(std::ranges::size(x))}} {}
};

template <class X>
using argument_of = bound_argument<typename X::element, X::rank>;
/// Binds an argument of a function that is bound to the context `where`.
template <class P, class X>
argument_of<P> bind_argument(const X& x, const context& where) {
  if constexpr (std::is_constructible_v<argument_of<P>, const X&, const context*>) return argument_of<P>(x, &where);
  else return argument_of<P>(x);
}

/// Binds an argument as its address and extents alone; a view, which may need a packed copy, as bind_argument does.
/// `where`: the context of the function, if it has one.
template <class P, class X, class... Where>
KROTON_INLINE auto bind_plainly(const X& x, const Where&... where) {
  using value = argument_value<typename P::element, P::rank>;
  if constexpr (is_tensor<X>) return value{x.data(), x.extents()};
  else if constexpr (P::rank == 1 && std::ranges::contiguous_range<X>)
    return value{std::ranges::data(x), {static_cast<std::int64_t>(std::ranges::size(x))}};
  else if constexpr (sizeof...(Where) > 0) return bind_argument<P>(x, where...);
  else return argument_of<P>(x);
}

/// The mistake in an argument of type `X` for parameter `P`, both on the host.
template <class P, class X>
constexpr complaint host_argument_problem() {
  constexpr bool is_other_tensor =
      is_tensor<X> && !std::is_same_v<X, tensor<typename P::element, P::rank>>;  // a constructor of tensor refuses it
  if (std::is_constructible_v<argument_of<P>, const X&> && !is_other_tensor) return complaint::none;
  return P::rank == 0 && literal<X> ? complaint::fraction : complaint::argument;
}
/// Whether the caller gives parameter `P` in memory of a context other than the host.
template <class P>
inline constexpr bool is_placed_parameter = false;
template <class Place, class Variable>
inline constexpr bool is_placed_parameter<placed_variable<Place, Variable>> = !std::is_same_v<Place, struct host>;
/// Whether an `X` is elements of type `T` with `Rank` axes at a place.
template <class X, class T, int Rank, const place_name* Place>
inline constexpr bool is_placed_as =
    std::is_same_v<X, placed_tensor<T, Rank, Place>> || std::is_same_v<X, placed_view<T, Rank, Place>> ||
    std::is_same_v<X, placed_view<const T, Rank, Place>>;

/// The mistake in an argument of type `X` for parameter `P`.
template <class P, class X>
constexpr complaint argument_problem() {
  if constexpr (is_placed_parameter<P>) {
    constexpr const place_name* place = &place_of<typename P::place>;
    if (is_placed_as<X, typename P::element, P::rank, place>) return complaint::none;
    return is_same_place<place_of_elements<X>, place> ? complaint::argument : complaint::argument_place;
  } else if constexpr (!is_same_place<place_of_elements<X>, nullptr>) {
    return complaint::argument_place;
  } else {
    return host_argument_problem<P, X>();
  }
}

/// A parameter of which the element type and the number of axes are known.
template <class T, int Rank>
struct ranked_parameter {
  using element = T;
  static constexpr int rank = Rank;
};

/// The first of the arguments `X...` that does not fit its parameter, and its mistake.
struct unfit_argument {
  std::size_t position = 0;
  complaint problem = complaint::none;
};
template <class... P, class... X>
constexpr unfit_argument first_unfit(std::tuple<P...>*, std::tuple<X...>*) {
  unfit_argument first;
  if constexpr (sizeof...(P) != sizeof...(X)) first.problem = complaint::argument_count;
  else (void)((first.problem = argument_problem<P, X>(), first.problem == complaint::none && ++first.position) && ...);
  return first;
}

}  // namespace kroton::runtime

#if KROTON_HAS_DEFINITIONS
#include <kroton/runtime/arguments.ipp>
#endif
