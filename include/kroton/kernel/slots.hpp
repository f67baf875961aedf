// This header has slots, which hold a value for each instruction of a kernel, or nothing for an instruction without a
// value. It also finds instructions by their number.
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

/// A list of instructions that finds one by its number: `decltype(at<2>(list))` is the third. A look-up costs the
/// compiler one overload resolution.
template <int K, class Instruction>
struct numbered {};
template <class Indices, class... Instruction>
struct numbered_list;
template <int... K, class... Instruction>
struct numbered_list<std::integer_sequence<int, K...>, Instruction...> : numbered<K, Instruction>... {};
template <int K, class Instruction>
Instruction at(const numbered<K, Instruction>&);  // declared for its type alone; it has no definition

}  // namespace kroton::kernel
