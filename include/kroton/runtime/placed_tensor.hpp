// This header has tensors that stay in the context where they were computed, and views of memory there that other code
// owns. A function takes them for a kt::var_at, and returns tensors for outputs that end with kt::transfer.
//
//     auto h = encode(x);   // kt::tensor_at<dev0, float, 2>
//     auto y = decode(h);   // nothing passes the host in between
#pragma once

#include <kroton/expr/place.hpp>
#include <kroton/runtime/arguments.hpp>
#include <kroton/runtime/context/placed_memory.hpp>

namespace kroton::tensors {

/// A row-major tensor whose elements lie in memory of the context `Place`, and count in its budget. The host has its
/// extents, and not its elements. Calls that use it are ordered on the stream of the context; the host waits for none
/// of them. Users write `kt::tensor_at<dev0, float, 2>`.
template <class T, int Rank, const place_name* Place>
class placed_tensor {
 public:
  static_assert(is_element<T>,
                "kroton: this is not an element type: float, double, kt::half, kt::bfloat16, bool and "
                "the (u)intN_t are");
  using extents_array = std::array<std::int64_t, static_cast<std::size_t>(Rank)>;
  /// Whether the place is the context of the session, and not one with a name.
  static constexpr bool is_at_home = Place->id == typed::place_of<struct home>.id;

  /// A tensor without elements, which `f.into(y, x)` gives memory.
  placed_tensor() = default;
  /// Copies a tensor to the context to which the name of the place is mapped.
  explicit placed_tensor(const tensor<T, Rank>& x) requires(!is_at_home)
      : placed_tensor(x.extents(), runtime::context::named(std::string_view(Place->text))) {
    memory_.write(reinterpret_cast<const std::byte*>(x.data()));
  }
  /// Copies a tensor to the context of a session: `kt::tensor_at<kt::home, float, 2> h(x, session.where())`.
  placed_tensor(const tensor<T, Rank>& x, const runtime::context& where) requires is_at_home
      : placed_tensor(x.extents(), where) {
    memory_.write(reinterpret_cast<const std::byte*>(x.data()));
  }
  /// A tensor whose elements are not initialised, in memory of the context `where`.
  placed_tensor(const extents_array& extents, const runtime::context& where)
      : extents_(extents), memory_(where, runtime::tensor_bytes(extents, sizeof(T))) {}
  placed_tensor(placed_tensor&& other) noexcept
      : extents_(std::exchange(other.extents_, {})), memory_(std::move(other.memory_)),
        pending_(std::move(other.pending_)) {}
  placed_tensor(const placed_tensor& other) : extents_(other.extents_) {
    other.pending_.settle();
    memory_ = other.memory_.copy();
  }
  placed_tensor& operator=(placed_tensor other) noexcept {
    pending_ = std::move(other.pending_);
    extents_ = other.extents_;
    memory_ = std::move(other.memory_);
    return *this;
  }

  std::int64_t size() const { return element_count(extents_); }
  std::int64_t extent(int axis) const { return extents_[static_cast<std::size_t>(axis)]; }
  const extents_array& extents() const { return extents_; }
  /// The elements in a tensor on the host, which waits for what computes them. Throws device_error if the device
  /// failed.
  tensor<T, Rank> to_host() const {
    pending_.settle();
    tensor<T, Rank> copy(extents_, nullptr);
    memory_.read(reinterpret_cast<std::byte*>(copy.address()));
    return copy;
  }
  /// The address in the memory of the context, for other code that works there. It waits for all work on the stream of
  /// the context.
  T* data() {
    wait();
    return address();
  }
  const T* data() const {
    wait();
    return address();
  }
  /// The same address, without waiting.
  T* address() const { return reinterpret_cast<T*>(memory_.data()); }

  const runtime::placed_memory& memory() const { return memory_; }
  /// Waits until the elements are in the memory, if a copy through the host brings them there.
  void settle() const { pending_.settle(); }
  void expect(std::shared_ptr<runtime::pending_value> value) { pending_ = runtime::pending_share(std::move(value)); }
  void expect_nothing() { pending_.drop(); }

 private:
  extents_array extents_{};
  runtime::placed_memory memory_;
  runtime::pending_share pending_;

  void wait() const {
    pending_.settle();
    memory_.wait();
  }
};

/// A view of contiguous row-major elements in memory of the context `Place`, which other code owns; `kt::view_at` makes
/// it. `stream`: the stream of the user on which these elements are written and read; calls come after the work that is
/// there, and later work there comes after the calls.
template <class T, int Rank, const place_name* Place>
struct placed_view {
  using extents_array = std::array<std::int64_t, static_cast<std::size_t>(Rank)>;
  T* start = nullptr;
  extents_array sizes{};
  void* stream = nullptr;

  const extents_array& extents() const { return sizes; }
  T* address() const { return start; }
};

/// The address in a pointer of the language, or in one of a library, such as thrust::device_ptr.
template <class T>
constexpr T* raw_address(T* p) {
  return p;
}
template <class Pointer>
constexpr auto* raw_address(const Pointer& p) requires requires {
  p.get();
}
{ return p.get(); }
/// A vector in memory of a device that can have another size, such as thrust::device_vector: its elements have pointers
/// of their own kind.
template <class X, class T>
concept placed_vector = requires(X& x) {
  { raw_address(x.data()) } -> std::same_as<T*>;
  x.resize(x.size());
}
&&!std::is_pointer_v<decltype(std::declval<X&>().data())>;

}  // namespace kroton::tensors

namespace kroton {
namespace runtime {
/// The type of tensors at a place; null: on the host.
template <class T, int Rank, const place_name* Place>
struct tensor_of {
  using type = placed_tensor<T, Rank, Place>;
};
template <class T, int Rank>
struct tensor_of<T, Rank, nullptr> {
  using type = tensor<T, Rank>;
};
/// The place `Tag` as tensors have it.
template <class Tag>
inline constexpr const place_name* place_of_tensors = &typed::place_of<Tag>;
template <>
inline constexpr const place_name* place_of_tensors<struct host> = nullptr;
}  // namespace runtime

/// A tensor in memory of a context: `kt::tensor_at<dev0, float, 2>`; at kt::host it is a kt::tensor.
template <auto Place, class T, int Rank>
using tensor_at =
    typename runtime::tensor_of<T, Rank, runtime::place_of_tensors<std::remove_cvref_t<decltype(Place)>>>::type;

/// A view of elements in memory of a context: `kt::view_at(dev0, pointer, {rows, columns}, stream)`. The pointer is one
/// of the language or a thrust::device_ptr; `stream` is a cudaStream_t, by default CUDA's default stream. With elements
/// that are not const, a function can put its output there: `f.into(kt::view_at(dev0, pointer, {n}), x)`.
template <typed::named_context Place, class Pointer, std::size_t Rank>
auto view_at(Place, Pointer start, const std::int64_t (&extents)[Rank], void* stream = nullptr) requires requires {
  *tensors::raw_address(start);
}
{
  using element = std::remove_pointer_t<decltype(tensors::raw_address(start))>;
  tensors::placed_view<element, static_cast<int>(Rank), &typed::place_of<Place>> made{
      tensors::raw_address(start), {}, stream};
  std::copy_n(extents, Rank, made.sizes.begin());
  return made;
}
/// The same of all elements of a thrust::device_vector or cuda::std::span, as a vector.
template <typed::named_context Place, class Range>
  requires requires(Range& x) { tensors::raw_address(x.data()), x.size(); }
auto view_at(Place place, Range&& x, void* stream = nullptr) {
  return view_at(place, x.data(), {static_cast<std::int64_t>(x.size())}, stream);
}
}  // namespace kroton
