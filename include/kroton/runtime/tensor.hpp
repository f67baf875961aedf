// This header has tensors on the host, which functions take and return, and views of elements that other code owns.
#pragma once

#include <kroton/arithmetic/dtype.hpp>
#include <kroton/runtime/context/aligned_block.hpp>
#include <kroton/runtime/context/error.hpp>
#include <kroton/runtime/context/pending.hpp>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

// a namespace of its own, so that a user's `sum(tensor)` is not taken for kroton::sum
namespace kroton::tensors {
/// Whether `X` is a container of elements, as std::vector and std::array are.
template <class X>
inline constexpr bool is_container = false;
template <class X>
  requires is_element<typename X::value_type>
inline constexpr bool is_container<X> = requires(X & x) { x.resize(1); }
|| requires { std::tuple_size<X>::value; };

/// The conversion of a scalar to its element; other tensors have none. It is a base class, because compilers list the
/// conversions of a class in errors.
template <class Tensor, class T, int Rank>
struct conversions {
 protected:
  constexpr T known(const T& element) const { return element; }
};
template <class Tensor, class T>
struct conversions<Tensor, T, 0> {
  constexpr operator T() const { return number(); }
  constexpr operator computed_in_t<T>() const requires(!std::is_same_v<T, computed_in_t<T>>) { return number(); }

 protected:
  constexpr conversions() = default;
  constexpr explicit conversions(T constant) : constant_(constant) {}
  /// The element, which is `element` where it is no constant.
  constexpr T known(const T& element) const { return std::is_constant_evaluated() ? constant_ : element; }

 private:
  T constant_{};  // the element in constant expressions, which cannot read a mutable one

  constexpr T number() const { return known(*static_cast<const Tensor*>(this)->data()); }
};

/// A row-major tensor that owns its elements. A scalar (`Rank` 0) converts to `T`, 16-bit floats also to float.
/// If a device still computes it, code that reads its elements waits; device_error is thrown there if the device
/// failed.
template <class T, int Rank>
class tensor : public conversions<tensor<T, Rank>, T, Rank> {
 public:
  static_assert(is_element<T>,
                "kroton: this is not an element type: float, double, kt::half, kt::bfloat16, bool and "
                "the (u)intN_t are");
  using extents_array = std::array<std::int64_t, static_cast<std::size_t>(Rank)>;

  tensor() : tensor(extents_array{}) {}
  /// The scalar `value`, which may be a constant expression.
  static constexpr tensor scalar(T value) requires(Rank == 0) { return tensor(scalar_tag(), value); }
  /// A tensor of zeros.
  explicit tensor(const extents_array& extents) : tensor(extents, nullptr) { std::fill_n(address(), size(), T{}); }
  /// A tensor whose elements are not initialised. They lie in memory of a context, if `lender` is its
  /// `context.lender()`, as the outputs of functions do, or in memory of the system if `lender` is null. A copy of the
  /// tensor takes memory of the same lender.
  KROTON_INLINE tensor(const extents_array& extents, memory_account* lender)
      : extents_(extents), block_(runtime::block_for<sizeof(T)>(extents, lender)) {}
  tensor(const extents_array& extents, std::span<const T> values) : tensor(extents, nullptr) {
    copy(values.data(), values.size());
  }
  tensor(const extents_array& extents, std::initializer_list<T> values) : tensor(extents, nullptr) {
    copy(values.begin(), values.size());
  }
  tensor(const tensor& other) : tensor(other.extents_, other.block_.lender()) {
    copy(other.data(), static_cast<std::size_t>(other.size()));
  }
  constexpr tensor(tensor&& other) noexcept
      : conversions<tensor, T, Rank>(other), extents_(std::exchange(other.extents_, {})),
        scalar_(other.known(other.scalar_)), block_(std::move(other.block_)), pending_(std::move(other.pending_)) {
    if constexpr (Rank == 0) pending_.move(other.scalar_, scalar_);
  }
  /// Refuses a tensor of another type. Declarations, assignments and return types choose this constructor for one.
  template <class Other, int OtherRank>
  tensor(const tensor<Other, OtherRank>&) {
    static_assert(std::is_void_v<Other>,
                  "kroton: a tensor is not converted to another element type or number of axes; say auto y = f(x), or "
                  "kt::cast and kt::reshape in the function");
  }
  tensor& operator=(tensor other) noexcept {
    pending_ = std::move(other.pending_);  // first, so that no earlier output arrives in this tensor
    extents_ = other.extents_;
    scalar_ = other.scalar_;
    block_ = std::move(other.block_);
    if constexpr (Rank == 0) pending_.move(other.scalar_, scalar_);
    return *this;
  }

  std::int64_t size() const { return element_count(extents_); }
  std::int64_t extent(int axis) const { return extents_[static_cast<std::size_t>(axis)]; }
  const extents_array& extents() const { return extents_; }
  constexpr T* data() {
    pending_.settle();
    return address();
  }
  constexpr const T* data() const {
    pending_.settle();
    return address();
  }
  std::span<T> values() { return {data(), static_cast<std::size_t>(size())}; }
  std::span<const T> values() const { return {data(), static_cast<std::size_t>(size())}; }
  T* begin() { return data(); }
  T* end() { return data() + size(); }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size(); }

  /// The element at these indices, which are not checked.
  template <std::integral... I>
  T& operator()(I... index) {
    return data()[offset(index...)];
  }
  template <std::integral... I>
  const T& operator()(I... index) const {
    return data()[offset(index...)];
  }
  /// Refuses a conversion to a container.
  template <class Other>
    requires(Rank > 0 && is_container<Other>)
  operator Other() const {
    static_assert(std::is_void_v<Other>,
                  "kroton: a result is a kt::tensor, auto y = f(x), not a std::vector or std::array; its elements are "
                  "y.values(): std::vector<float>(y.begin(), y.end())");
    return {};
  }

  /// The address of the elements. It does not wait for a device that still computes them, so they must not be read
  /// through it.
  constexpr T* address() const {
    if constexpr (Rank == 0) return &scalar_;
    else return reinterpret_cast<T*>(block_.data());
  }
  /// Makes reads of the tensor wait for the value `value` of a device, or for nothing if it is null.
  void expect(std::shared_ptr<pending_value> value) { pending_ = pending_share(std::move(value)); }
  /// Makes reads of the tensor wait for nothing, because a call has begun to write new elements to it.
  void expect_nothing() { pending_.drop(); }
  /// Whether reads of the tensor ask no device. They ask one as long as the elements are those that it wrote.
  bool expects_nothing() const { return pending_.is_empty(); }

 private:
  struct scalar_tag {};
  constexpr tensor(scalar_tag, T value) : conversions<tensor, T, Rank>(value), scalar_(value) {}
  template <class... I>
  std::int64_t offset(I... index) const {
    static_assert(!(sizeof...(I) != static_cast<std::size_t>(Rank)),
                  "kroton: a tensor is indexed with one integer for each axis");
    std::int64_t at = 0;
    std::size_t axis = 0;
    ((at = at * extents_[axis++] + static_cast<std::int64_t>(index)), ...);
    return at;
  }
  void copy(const T* values, std::size_t count) {
    if (static_cast<std::int64_t>(count) != size())
      throw shape_error("kroton: tensor: " + std::to_string(count) + " values for " + std::to_string(size()) +
                        " elements");
    for (std::size_t i = 0; i < count; ++i) data()[i] = values[i];
  }

  extents_array extents_{};
  mutable T scalar_{};  // the element of a scalar, which needs no allocation
  aligned_block block_;
  pending_share pending_;
};

/// Refuses to print a tensor as a whole.
template <class Stream, class T, int Rank>
  requires(Rank > 0)
auto operator<<(Stream& out, const tensor<T, Rank>&) -> decltype(out << 0) {
  static_assert(Rank == 0, "kroton: a tensor is printed by its elements: for (auto x : tensor) std::cout << x;");
  return out << 0;
}

/// A view of elements that other code owns, as an argument: `kt::view(pointer, {rows, columns})` is a `kt::view<const
/// float, 2>` of contiguous row-major elements. `kt::view(pointer, {rows, columns}, {row_stride, column_stride})` has
/// strides in elements, which may be 0 or negative; a call copies the elements of such a view first, unless they are
/// contiguous. A tensor converts to a view of its elements, and a contiguous range converts to a view of rank 1.
template <class T, int Rank>
class view {
  static_assert(std::is_const_v<T> && Rank > 0,
                "kroton: a view is of const elements, with at least one axis: kt::view<const float, 2>");
  using element = std::remove_const_t<T>;
  static_assert(is_element<element> || !std::is_const_v<T>,
                "kroton: this is not an element type: float, double, kt::half, kt::bfloat16, bool and "
                "the (u)intN_t are");

 public:
  using extents_array = std::array<std::int64_t, static_cast<std::size_t>(Rank)>;

  view() = default;
  view(const element* data, const std::int64_t (&extents)[static_cast<std::size_t>(Rank)]) : data_(data) {
    for (std::size_t axis = 0; axis < extents_.size(); ++axis) extents_[axis] = extents[axis];
  }
  view(const element* data, const std::int64_t (&extents)[static_cast<std::size_t>(Rank)],
       const std::int64_t (&strides)[static_cast<std::size_t>(Rank)])
      : view(data, extents) {
    extents_array dense = this->strides();
    for (std::size_t axis = 0; axis < dense.size(); ++axis) {
      strides_[axis] = strides[axis];
      is_contiguous_ = is_contiguous_ && (strides[axis] == dense[axis] || extents[axis] == 1);
    }
  }
  view(const tensor<element, Rank>& x) : data_(x.data()), extents_(x.extents()) {}
  template <class Range>
    requires(
        Rank == 1 &&
        requires(const Range& x, const element*& data) { data = x.data(), static_cast<std::int64_t>(x.size()); } &&
        !requires(const Range& x) { x.extents(); })  // a tensor of another rank is no vector
  view(const Range& x) : data_(x.data()), extents_{static_cast<std::int64_t>(x.size())} {}

  const element* data() const { return data_; }
  const extents_array& extents() const { return extents_; }
  bool is_contiguous() const { return is_contiguous_; }
  /// The distance of neighbours along each axis, in elements.
  extents_array strides() const {
    if (!is_contiguous_) return strides_;
    extents_array dense;
    std::uint64_t stride = 1;  // extents that are too large for memory are refused later
    for (std::size_t axis = dense.size(); axis-- > 0; stride *= static_cast<std::uint64_t>(extents_[axis]))
      dense[axis] = static_cast<std::int64_t>(stride);
    return dense;
  }

 private:
  const element* data_ = nullptr;
  extents_array extents_{};
  extents_array strides_{};  // for elements that are not contiguous
  bool is_contiguous_ = true;
};
template <class T, std::size_t Rank>
view(const T*, const std::int64_t (&)[Rank]) -> view<const T, static_cast<int>(Rank)>;
template <class T, std::size_t Rank>
view(const T*, const std::int64_t (&)[Rank], const std::int64_t (&)[Rank]) -> view<const T, static_cast<int>(Rank)>;

}  // namespace kroton::tensors

namespace kroton {
using tensors::tensor;
using tensors::view;
}  // namespace kroton

namespace kroton::runtime {
using tensors::tensor;
using tensors::view;

template <class X>
inline constexpr bool is_tensor = false;
template <class T, int Rank>
inline constexpr bool is_tensor<tensor<T, Rank>> = true;

}  // namespace kroton::runtime
