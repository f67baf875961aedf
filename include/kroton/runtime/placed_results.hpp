// This header puts outputs into memory of contexts: into tensors there, and into views and vectors that other code
// owns.
//
//     f.into(vector, x), 5 elements of output, vector of 3  ->  computes a tensor at the place, resizes, copies it
#pragma once

#include <kroton/runtime/placed_arguments.hpp>

namespace kroton::runtime {

template <class T, int Rank, const place_name* Place>
memory_range memory_of(const placed_tensor<T, Rank, Place>& x) {
  return memory_of(x.address(), x.extents());
}

/// Memory of other code for an output: what views and vectors have in common.
template <class T, int Rank, const place_name* Place>
class lent_result {
 public:
  T* address() const { return start_; }
  stream_use use() const { return use_; }
  void expect_nothing() const {}
  /// Waits for an output that arrives later, because no later read of the memory would.
  void expect(const std::shared_ptr<pending_value>& value) const {
    if (value != nullptr) settle(*value);
  }

 protected:
  lent_result(T* start, const context& where, void* stream)
      : there_(context_at<Place>(where)), start_(start), use_(stream_use::of_user(stream)) {
    require_memory_of(there_, reinterpret_cast<const std::byte*>(start));
  }
  bool is_aligned() const { return is_aligned_for(there_, reinterpret_cast<const std::byte*>(start_)); }
  void copy(const placed_tensor<T, Rank, Place>& made, T* to) const {
    made.settle();
    made.memory().give(reinterpret_cast<std::byte*>(to), use_);
  }

 private:
  context there_;
  T* start_;
  stream_use use_;
};
/// A view as the target of an output.
template <class T, int Rank, const place_name* Place>
class view_result : public lent_result<T, Rank, Place> {
  using base = lent_result<T, Rank, Place>;

 public:
  view_result(const placed_view<T, Rank, Place>& to, const context& where)
      : base(to.address(), where, to.stream), extents_(to.extents()) {}
  memory_range memory() const { return memory_of(this->address(), extents_); }
  /// Whether a call can write the output there. Throws shape_error if the view has other extents, or no elements where
  /// the output has some.
  bool has_room(const std::array<std::int64_t, static_cast<std::size_t>(Rank)>& extents) const {
    if (extents != extents_) refuse_extents(extents_, extents);
    if (this->address() == nullptr && has_elements(extents)) refuse_null_view();
    return this->is_aligned();
  }
  void operator=(placed_tensor<T, Rank, Place>&& made) const { this->copy(made, this->address()); }

 private:
  std::array<std::int64_t, static_cast<std::size_t>(Rank)> extents_;
};
/// A vector such as thrust::device_vector as the target of an output, which gets as many elements as the output has.
template <class Vector, class T, int Rank, const place_name* Place>
class vector_result : public lent_result<T, Rank, Place> {
  using base = lent_result<T, Rank, Place>;

 public:
  vector_result(Vector& to, const context& where) : base(tensors::raw_address(to.data()), where, nullptr), to_(to) {}
  memory_range memory() const { return memory_of(this->address(), std::array{static_cast<std::int64_t>(to_.size())}); }
  bool has_room(const std::array<std::int64_t, static_cast<std::size_t>(Rank)>& extents) const {
    return element_count(extents) == static_cast<std::int64_t>(to_.size()) && this->is_aligned();
  }
  void operator=(placed_tensor<T, Rank, Place>&& made) const {
    to_.resize(static_cast<std::size_t>(made.size()));
    this->copy(made, tensors::raw_address(to_.data()));
  }

 private:
  Vector& to_;
};
template <class Result>
memory_range memory_of(const Result& x) requires std::is_same_v<decltype(x.memory()), memory_range> {
  return x.memory();
}

template <class To, class T, int Rank, const place_name* Place>
inline constexpr bool takes<To, placed_tensor<T, Rank, Place>> =
    std::is_same_v<To, placed_tensor<T, Rank, Place>> || std::is_same_v<To, placed_view<T, Rank, Place>> ||
    tensors::placed_vector<To, T>;

template <class T, int Rank, const place_name* Place>
inline constexpr bool receives<placed_tensor<T, Rank, Place>, tensor<T, Rank>> = true;
template <class T, int Rank, const place_name* Place>
inline constexpr bool receives<placed_view<T, Rank, Place>, tensor<T, Rank>> = true;
/// The function `Function` for what a caller gives to `into`: the same function, or, if host outputs are received at
/// places, one whose outputs stay there.
template <class Function, class Targets, class Outputs>
struct receiving {
  using type = Function;
};
template <class Function, class... To, class... Made>
  requires(sizeof...(To) == sizeof...(Made) && (receives<To, Made> || ...) &&
           ((receives<To, Made> || takes<To, Made>)&&...))
struct receiving<Function, std::tuple<To&...>, std::tuple<Made...>> {
  using type = received_at<Function, (receives<To, Made> ? place_of_elements<To> : nullptr)...>;
};

/// The target for an output, which is a `Made`, in what the caller gives, for a function bound to the context `where`.
template <class Made, class To>
decltype(auto) target_of(To& to, const context& where) {
  if constexpr (std::is_same_v<To, Made>) return (to);
  else return placed_target(static_cast<Made*>(nullptr), to, where);
}
template <class T, int Rank, const place_name* Place, class To>
auto placed_target(placed_tensor<T, Rank, Place>*, To& to, const context& where) {
  if constexpr (is_view_at<To>) return view_result<T, Rank, Place>(to, where);
  else return vector_result<To, T, Rank, Place>(to, where);
}

/// Whether a call can write an output of these extents into its target, in the context of its place.
template <class Target, class Extents>
bool has_room(const Target& target, const Extents& extents, const context& where) {
  if constexpr (is_tensor<Target>) return target.extents() == extents;
  else if constexpr (requires { target.has_room(extents); }) return target.has_room(extents);
  else return target.extents() == extents && target.memory().fits(where, element_count(extents));
}
/// The stream on which the elements of an argument or a target are used.
template <class X>
stream_use use_of(const X& x) {
  if constexpr (requires { x.use(); }) return x.use();
  else if constexpr (requires { x.use; }) return x.use;
  else if constexpr (requires { x.memory().use(); }) return x.memory().use();
  else return {};
}

}  // namespace kroton::runtime
