// This header keeps a value for each instruction of a kernel, or nothing for one that has none, and finds instructions
// by their number.
//
//     slots<sequence<0, 1, 2>, pack, nothing, float>  ->  get<0>(s) is a pack, get<2>(s) a float
#pragma once

#include <kroton/config.hpp>

#include <utility>

namespace kroton::kernel {

struct nothing {};

template <int I, class V>
struct slot {
  V value;  // not initialised: every value is written before it is read
};
template <int I>
struct slot<I, nothing> {};
template <class Indices, class... V>
struct slots;
template <int... I, class... V>
struct slots<std::integer_sequence<int, I...>, V...> : slot<I, V>... {};
template <int I, class V>
constexpr KROTON_HD V& get(slot<I, V>& s) {
  return s.value;
}
template <int I, class V>
constexpr KROTON_HD const V& get(const slot<I, V>& s) {
  return s.value;
}

/// Instructions that are found by their number: `decltype(at<2>(list))` is the third, for what one overload resolution
/// costs.
template <int K, class Instruction>
struct numbered {};
template <class Indices, class... Instruction>
struct numbered_list;
template <int... K, class... Instruction>
struct numbered_list<std::integer_sequence<int, K...>, Instruction...> : numbered<K, Instruction>... {};
template <int K, class Instruction>
Instruction at(const numbered<K, Instruction>&);  // for its type alone

}  // namespace kroton::kernel
