// This header has parts. A part is the reduction of the elements of one thread of a device; it is combined with the
// parts of other threads.
//
//     32 threads, each with the sum of its elements  ->  five exchanges within the warp  ->  the sum of all
#pragma once

#include <cstdint>

/// KROTON_DEVICE marks functions that run in a thread of a device; tests run them on the host.
#ifdef __CUDACC__
#define KROTON_DEVICE __device__
#define KROTON_UNROLL _Pragma("unroll")
#else
#define KROTON_DEVICE
#define KROTON_UNROLL
#endif

namespace kroton::runtime::on_device {

template <class Op>
inline constexpr bool finds_position = requires {
  Op::needs_elements;
};

/// The part of a reduction that one thread has made. Sums are kept in two levels, so that rounding errors grow slowly;
/// `fold` adds the first level to the second, every few packs.
template <class Op, class T>
struct thread_part {
  T value = Op::template identity<T>, whole = Op::template identity<T>;
  KROTON_DEVICE void add(T x) { value = Op::combine(value, x); }
  KROTON_DEVICE void fold() {
    whole = Op::combine(whole, value);
    value = Op::template identity<T>;
  }
  KROTON_DEVICE void merge(const thread_part& other) {
    whole = Op::combine(total(), other.total()), value = Op::template identity<T>;
  }
  KROTON_DEVICE T total() const { return Op::combine(whole, value); }
};
/// The best element of one thread (the first of equal elements) and its position; -1 if there was no element.
template <class Op, class Element>
struct thread_position {
  Element best{};
  std::int64_t at = -1;
  KROTON_DEVICE void add(Element x, std::int64_t position) { meet(x, position); }
  KROTON_DEVICE void fold() {}
  KROTON_DEVICE void merge(const thread_position& other) {
    if (other.at >= 0) meet(other.best, other.at);
  }
  KROTON_DEVICE std::int64_t total() const { return at < 0 ? 0 : at; }

 private:
  KROTON_DEVICE void meet(Element x, std::int64_t position) {
    if (at >= 0 && !Op::replaces(x, best) && (Op::replaces(best, x) || position > at)) return;
    best = x;
    at = position;
  }
};

}  // namespace kroton::runtime::on_device
