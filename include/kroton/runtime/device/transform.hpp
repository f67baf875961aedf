// This header gives maps of contiguous tensors, as functions of elements, to a library that knows how a device moves
// elements best.
//
//     fused<map, load 0, load 1, add, store 2>, contiguous  ->  transform(x, y, z, [](a, b) { return a + b; })
#pragma once

#include <kroton/arithmetic/indexed.hpp>
#include <kroton/runtime/device/row_values.hpp>

namespace kroton::runtime::on_device {

/// How an instruction moves elements: those that lie side by side are an argument of the function, or its result.
template <class Instruction>
struct element_access {
  static constexpr bool is_argument = false, is_result = false, fits = true;
};
template <int A, class T, stride_class S>
struct element_access<kernel::load<A, T, S, false>> {
  static constexpr bool is_argument = S == stride_class::unit, is_result = false, fits = S != stride_class::strided;
  static constexpr int access = A;
  using type = T;
};
template <int A, class T, stride_class S>
struct element_access<kernel::index<A, T, S, false>> {
  static constexpr bool is_argument = false, is_result = false, fits = false;
};
template <int A, class T, stride_class S, bool R, int O>
struct element_access<kernel::store<A, T, S, R, O>> {
  static constexpr bool is_argument = false, is_result = !R && S == stride_class::unit, fits = is_result;
  static constexpr int access = A;
  using type = T;
};

/// The type of the elements that a map writes. It is at namespace scope, because nvcc names it outside of classes.
template <class First, class... Rest>
struct first_result {
  using type = typename first_result<Rest...>::type;
};
template <class First, class... Rest>
  requires(element_access<First>::is_result)
struct first_result<First, Rest...> {
  using type = typename element_access<First>::type;
};

/// The function of a map, called with one element of each tensor that it reads. Scalars are read where they are.
template <class Fused>
class element_function {
 public:
  static constexpr bool is_there = false;
};
template <class... I>
class element_function<kernel::fused<step_kind::map, I...>> {
  using fused = kernel::fused<step_kind::map, I...>;
  using at = elements<fused, 1>;
  static constexpr int argument_count = (0 + ... + element_access<I>::is_argument),
                       result_count = (0 + ... + element_access<I>::is_result);
  static constexpr auto access_of_arguments = [] {
    indexed_array<int, argument_count + 1> every{};
    [[maybe_unused]] std::size_t next = 0;
    (
        [&] {
          if constexpr (element_access<I>::is_argument) every[next++] = element_access<I>::access;
        }(),
        ...);
    return every;
  }();
  template <std::size_t K>
  static constexpr int access_of_argument = access_of_arguments[K];
  static constexpr int access_of_result = [] {
    int found = 0;
    (
        [&] {
          if constexpr (element_access<I>::is_result) found = element_access<I>::access;
        }(),
        ...);
    return found;
  }();
  typename at::loops loops_;

 public:
  static constexpr bool is_there = (element_access<I>::fits && ...) && argument_count > 0 && result_count == 1;
  /// Whether the library gets the map. It gets none of few elements, because CUB divides all later maps of a program as
  /// it divided the first.
  static bool fits(const nest& n) { return n.rows == 1 && n.middles == 1 && n.inner >= 8192; }

  explicit element_function(const nest& n) : loops_(n) {}

  template <class Launch>
  void run(const Launch& launch) const {
    run(launch, std::make_index_sequence<static_cast<std::size_t>(argument_count)>{});
  }
  template <class... T>
  KROTON_DEVICE auto operator()(const T&... x) const {
    return apply(std::make_index_sequence<sizeof...(T)>{}, x...);
  }

 private:
  template <class Launch, std::size_t... K>
  void run(const Launch& launch, std::index_sequence<K...>) const {
    using result = typename first_result<I...>::type;
    launch.transform(loops_.space.inner, *this, reinterpret_cast<result*>(loops_.operands[access_of_result].start),
                     argument<K>()...);
  }
  template <std::size_t K>
  auto argument() const {
    using load = std::tuple_element_t<K, decltype(std::tuple_cat(typed<I>()...))>;
    return reinterpret_cast<load>(loops_.operands[access_of_arguments[K]].start);
  }
  template <class J>
  static auto typed() {
    if constexpr (element_access<J>::is_argument) return std::tuple<const typename element_access<J>::type*>();
    else return std::tuple<>();
  }
  template <std::size_t... K, class... T>
  KROTON_DEVICE auto apply(std::index_sequence<K...>, const T&... x) const {
    typename first_result<I...>::type result;
    typename at::cursor here = loops_.row(0);
    ((here.at[access_of_argument<K>] = const_cast<std::byte*>(reinterpret_cast<const std::byte*>(&x))), ...);
    here.at[access_of_result] = reinterpret_cast<std::byte*>(&result);
    typename at::row_values scalars;
    typename at::parts none;
    typename at::values v[1];
    row_evaluator<at>::template rows<0>(loops_, here, 0, false, scalars, none);
    at::template evaluate<0, true>({loops_, here, 0, 1, 0}, v, scalars, &none);
    return result;
  }
};

}  // namespace kroton::runtime::on_device
