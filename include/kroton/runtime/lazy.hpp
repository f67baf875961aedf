// This header has `kt::lazy`, the elements of a function of vectors as a range, of which each element is computed where
// it is read: for algorithms that Kroton has not.
//
//     const auto distance = kt::lazy([](kt::var<float> x, kt::var<float> y) { return kt::sqrt(x * x + y * y); }, x, y);
//     std::lower_bound(distance.begin(), distance.end(), 2.0f);  // computes the elements that it looks at
#pragma once

#include <kroton/runtime/functor.hpp>

#include <compare>
#include <cstddef>
#include <iterator>
#include <ranges>

namespace kroton::functors {

/// A place in the elements of `Function` of vectors with elements `T`. It holds the addresses of the vectors, and may
/// be copied to a device.
template <class Function, class Indices, class... T>
class lazy_iterator;
template <class Function, int... I, class... T>
class lazy_iterator<Function, std::integer_sequence<int, I...>, T...> {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::remove_cvref_t<std::invoke_result_t<Function, T...>>;
  using difference_type = std::ptrdiff_t;
  using reference = value_type;
  using pointer = void;

  lazy_iterator() = default;
  constexpr KROTON_HD explicit lazy_iterator(const T*... from) : from_{{from}...} {}

  constexpr KROTON_HD value_type operator*() const { return Function()(kernel::get<I>(from_)[at_]...); }
  constexpr KROTON_HD value_type operator[](difference_type n) const { return *(*this + n); }
  constexpr KROTON_HD lazy_iterator& operator+=(difference_type n) {
    at_ += n;
    return *this;
  }
  constexpr KROTON_HD lazy_iterator& operator-=(difference_type n) { return *this += -n; }
  constexpr KROTON_HD lazy_iterator& operator++() { return *this += 1; }
  constexpr KROTON_HD lazy_iterator& operator--() { return *this += -1; }
  constexpr KROTON_HD lazy_iterator operator++(int) {
    const lazy_iterator before = *this;
    ++*this;
    return before;
  }
  constexpr KROTON_HD lazy_iterator operator--(int) {
    const lazy_iterator before = *this;
    --*this;
    return before;
  }
  friend constexpr KROTON_HD lazy_iterator operator+(lazy_iterator it, difference_type n) { return it += n; }
  friend constexpr KROTON_HD lazy_iterator operator+(difference_type n, lazy_iterator it) { return it += n; }
  friend constexpr KROTON_HD lazy_iterator operator-(lazy_iterator it, difference_type n) { return it -= n; }
  friend constexpr KROTON_HD difference_type operator-(const lazy_iterator& a, const lazy_iterator& b) {
    return a.at_ - b.at_;
  }
  friend constexpr KROTON_HD bool operator==(const lazy_iterator& a, const lazy_iterator& b) { return a.at_ == b.at_; }
  friend constexpr KROTON_HD auto operator<=>(const lazy_iterator& a, const lazy_iterator& b) {
    return a.at_ <=> b.at_;
  }

 private:
  kernel::slots<std::integer_sequence<int, I...>, const T*...> from_{};
  difference_type at_ = 0;
};

/// A range of such elements. It refers to the vectors, as a view does.
template <class Function, class... T>
class lazy_elements {
 public:
  using iterator = lazy_iterator<Function, std::make_integer_sequence<int, sizeof...(T)>, T...>;

  constexpr lazy_elements(std::int64_t count, const T*... from) : first_(from...), count_(count) {}
  constexpr KROTON_HD iterator begin() const { return first_; }
  constexpr KROTON_HD iterator end() const { return first_ + count_; }
  constexpr KROTON_HD std::int64_t size() const { return count_; }
  constexpr KROTON_HD auto operator[](std::int64_t i) const { return first_[i]; }

 private:
  iterator first_;
  std::int64_t count_;
};

}  // namespace kroton::functors

namespace kroton::runtime {

template <class F>
inline constexpr bool is_refused = false;
template <class F>
inline constexpr bool is_refused<refused_function<F>> = true;
template <class F>
inline constexpr bool is_functor_object = false;
template <auto* Call, class Signature>
inline constexpr bool is_functor_object<functors::functor<Call, Signature>> = true;

/// A vector whose elements may lie on a device, as those of thrust::device_vector.
template <class X>
concept device_vector = requires(const X& x) {
  *x.data().get();
};
template <class X>
concept vector_of_elements = device_vector<X> || std::ranges::contiguous_range<const X>;

/// The address of the elements of a vector.
template <vector_of_elements X>
auto address_of(const X& x) {
  if constexpr (device_vector<X>) {
    const auto* const at = x.data().get();
    return at;
  } else {
    return std::ranges::data(x);
  }
}
template <class X>
using element_of = std::remove_cvref_t<decltype(*address_of(std::declval<const X&>()))>;
/// Whether a vector that is given as `X` is there after the statement.
template <class X>
inline constexpr bool outlives_call = std::is_lvalue_reference_v<X> || std::ranges::borrowed_range<X>;
template <class Function, class... X>
inline constexpr bool takes_elements = false;
template <class Function, class... X>
  requires(vector_of_elements<std::remove_cvref_t<X>>&&...)
inline constexpr bool takes_elements<Function, X...> =
    std::is_invocable_v<Function, element_of<std::remove_cvref_t<X>>...>;

/// Throws shape_error unless all vectors have as many elements.
void require_equal_sizes(std::initializer_list<std::int64_t> sizes);

/// The elements of a function of scalars, `f(x[i], y[i])`, as a range whose elements are computed where they are read:
/// `kt::lazy([](kt::var<float> x, kt::var<float> y) { return x * y; }, x, y)`. The function is a lambda as kt::functor
/// takes it, or a functor; the vectors are contiguous ranges or vectors of Thrust, which the range refers to. Throws
/// shape_error if they have different sizes.
template <class Function, class... X>
auto lazy(Function f, X&&... x) {
  if constexpr (is_refused<Function>) return f;  // a sentence has been said
  else if constexpr (!is_functor_object<Function>) return lazy(functor(f), std::forward<X>(x)...);
  else {
    constexpr bool fits = sizeof...(X) > 0 && takes_elements<Function, X...>, stays = (outlives_call<X> && ...);
    static_assert(fits,
                  "kroton: kt::lazy takes a contiguous vector for each argument of the function, with elements of "
                  "its type");
    static_assert(!fits || stays,
                  "kroton: kt::lazy reads its vectors later, so none may end with the statement; give it "
                  "a name first");
    if constexpr (fits && stays) {
      require_equal_sizes({static_cast<std::int64_t>(x.size())...});
      return functors::lazy_elements<Function, element_of<std::remove_cvref_t<X>>...>(
          static_cast<std::int64_t>(std::get<0>(std::tie(x...)).size()), address_of(x)...);
    }
  }
}

}  // namespace kroton::runtime

namespace kroton {
using runtime::lazy;
}  // namespace kroton

#if KROTON_HAS_DEFINITIONS
#include <kroton/runtime/lazy.ipp>
#endif
