// This header binds arguments that lie in memory of contexts.
//
//     kt::view_at(dev0, pointer, {n}, stream)  ->  address, extents {n}; the call comes after the work on `stream`
#pragma once

#include <kroton/runtime/placed_tensor.hpp>

namespace kroton::runtime {

/// An argument in memory of a context.
template <class T, int Rank>
struct placed_argument : argument_value<T, Rank> {
  placed_memory copy;  ///< of elements that are not aligned as kernels of the context need it
  stream_use use;
};

/// The context of a place that has a name, or that is the context `where` of the function.
template <const place_name* Place>
context context_at(const context& where) {
  if constexpr (Place->id == place_of<struct home>.id) return where;
  else return context::named(std::string_view(Place->text));
}

template <class T, int Rank, const place_name* Place>
placed_argument<T, Rank> bind_placed(const placed_tensor<T, Rank, Place>& x, const context& where) {
  x.settle();
  if constexpr (placed_tensor<T, Rank, Place>::is_at_home) require_same_device(x.memory().where(), where);
  if constexpr (Rank == 0) require_memory(x.memory());
  placed_argument<T, Rank> bound;
  bound.data = x.address();
  bound.extents = x.extents();
  bound.use = x.memory().use();
  return bound;
}
template <class T, int Rank, const place_name* Place>
placed_argument<std::remove_const_t<T>, Rank> bind_placed(const placed_view<T, Rank, Place>& x, const context& where) {
  const context there = context_at<Place>(where);
  const auto* const start = reinterpret_cast<const std::byte*>(x.address());
  require_memory_of(there, start);
  placed_argument<std::remove_const_t<T>, Rank> bound;
  bound.data = x.address();
  bound.extents = x.extents();
  bound.use = stream_use::of_user(x.stream);
  if (start == nullptr || is_aligned_for(there, start)) return bound;
  bound.copy = placed_memory(there, tensor_bytes(x.extents(), sizeof(T)));
  bound.copy.fill(start, bound.use);
  bound.data = reinterpret_cast<const T*>(bound.copy.data());
  return bound;
}
/// The elements of an argument or output on the host: a copy, if they lie elsewhere.
template <class X>
const X& elements_on_host(const X& x, const context&) {
  return x;
}
template <class T, int Rank, const place_name* Place>
tensor<T, Rank> elements_on_host(const placed_tensor<T, Rank, Place>& x, const context&) {
  return x.to_host();
}
template <class T, int Rank, const place_name* Place>
tensor<std::remove_const_t<T>, Rank> elements_on_host(const placed_view<T, Rank, Place>& x, const context& where) {
  placed_memory copy(context_at<Place>(where), tensor_bytes(x.extents(), sizeof(T)));
  copy.fill(reinterpret_cast<const std::byte*>(x.address()), stream_use::of_user(x.stream));
  tensor<std::remove_const_t<T>, Rank> here(x.extents(), nullptr);
  copy.read(reinterpret_cast<std::byte*>(here.address()));
  return here;
}

/// Binds an argument of a function that is bound to the context `where`.
template <class P, class X>
KROTON_INLINE auto bind_at_place(const X& x, const context& where) {
  if constexpr (is_placed_parameter<P>) return bind_placed(x, where);
  else return bind_plainly<P>(x, where);
}

}  // namespace kroton::runtime
