// This header evaluates the instructions of a fused kernel whose values belong to whole rows, or to columns, on the
// host.
//
//     z = x / sqrt(sum(x * x))  ->  after the sum: sqrt once for each row, not for each element
#pragma once

#include <kroton/kernel/values.hpp>
#include <kroton/runtime/host/evaluator.hpp>
#include <kroton/runtime/program/parallel.hpp>

namespace kroton::runtime::on_host {

/// How many of `threads` threads share a kernel over so many elements. An instruction on a pack takes about a quarter
/// of a nanosecond, and where threads start fast, each has work for four microseconds at least. Where they do not, only
/// kernels over many elements are shared.
template <class Types>
int threads_for(std::int64_t elements, int threads) {
  constexpr std::int64_t least_share = 16384, many_elements = 131072;
  constexpr std::int64_t instructions = [] {
    std::int64_t sum = 1;
    for (int phase = 0; phase < Types::phases; ++phase) sum += Types::cost(phase);
    return sum;
  }();
  if (threads < 2 || elements >= many_elements) return threads;
  const std::int64_t shares = elements / Types::width * instructions / least_share;
  return shares < 2 || !starts_fast(threads) ? 1 : static_cast<int>(std::min<std::int64_t>(shares, threads));
}
/// Whether a kernel of the instructions `info` writes a result where it reads an operand.
[[gnu::noinline]] inline bool writes_in_place(const nest& n, const kernel::instruction_info* info, int count) {
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < count; ++j)
      if (info[i].kind == instruction_kind::load && info[j].kind == instruction_kind::store &&
          n.operands[info[i].access].start == n.operands[info[j].access].start)
        return true;
  return false;
}

template <class Fused, int MostLanes = most_lanes>
class row_evaluator {
 public:
  using eval = evaluator<Fused, MostLanes>;
  using types = typename eval::types;
  using cursor = typename eval::cursor;
  using row_values = typename types::row_values;
  using totals = typename types::totals;

  /// Computes the values of rows that are known when loop `Phase` begins, and not earlier.
  template <int Phase>
  KROTON_INLINE static void rows(const eval& e, const cursor& row_start, row_values& values, const totals& sums) {
    each_row(due<Phase>(), e, row_start, values, sums);
  }
  /// The same for the columns [i, i + left) of a column kernel.
  template <int Phase>
  KROTON_INLINE static void columns(const eval& e, const cursor& row_start, std::int64_t i, int left,
                                    row_values& values, const totals& sums) {
    each_column(due<Phase>(), e, span{row_start, i, left}, values, sums);
  }

 private:
  struct span {
    const cursor& from;
    std::int64_t i;
    int left;
  };
  template <class T>
  using lanes = typename types::template lanes<T>;
  template <int Phase>
  using due = typename types::template loop<Phase>::due;

  template <int... K>
  KROTON_INLINE static void each_row(std::integer_sequence<int, K...>, const eval& e, const cursor& row_start,
                                     row_values& values, const totals& sums) {
    (row<K>(typename types::template instruction<K>(), e, row_start, values, sums), ...);
  }
  template <int... K>
  KROTON_INLINE static void each_column(std::integer_sequence<int, K...>, const eval& e, const span& at,
                                        row_values& values, const totals& sums) {
    (column<K>(typename types::template instruction<K>(), e, at, values, sums), ...);
  }

  template <int K, int A, class T, stride_class S>
  KROTON_INLINE static void row(kernel::load<A, T, S, true>, const eval&, const cursor& c, row_values& values,
                                const totals&) {
    kernel::get<K>(values) = *reinterpret_cast<const T*>(c.at[A]);
  }
  template <int K, int A, class T, stride_class S>
  KROTON_INLINE static void row(kernel::index<A, T, S, true>, const eval&, const cursor& c, row_values& values,
                                const totals&) {
    kernel::get<K>(values) = static_cast<T>(std::bit_cast<std::intptr_t>(c.at[A]));
  }
  template <int K, class T, std::int64_t Bits>
  KROTON_INLINE static void row(kernel::constant<T, Bits>, const eval&, const cursor&, row_values& values,
                                const totals&) {
    kernel::get<K>(values) = kernel::constant_of<T, Bits>;
  }
  template <int K, int P, class T>
  KROTON_INLINE static void row(kernel::extent<P, T>, const eval& e, const cursor&, row_values& values, const totals&) {
    kernel::get<K>(values) = static_cast<T>(e.loops().parameters[P]);
  }
  template <int K, class Op, class T, int... O>
  KROTON_INLINE static void row(kernel::apply<Op, T, true, O...>, const eval&, const cursor&, row_values& values,
                                const totals&) {
    kernel::get<K>(values) = static_cast<T>(Op::apply(kernel::get<O>(values)...));
  }
  template <int K, class T, int O>
  KROTON_INLINE static void row(kernel::convert<T, true, O>, const eval&, const cursor&, row_values& values,
                                const totals&) {
    kernel::get<K>(values) = kernel::converted<T>(kernel::get<O>(values));
  }
  template <int K, class Op, class T, int O>
  KROTON_INLINE static void row(kernel::reduce<Op, T, O>, const eval&, const cursor&, row_values& values,
                                const totals& sums) {
    kernel::get<K>(values) = static_cast<T>(kernel::get<K>(sums).value());
  }
  template <int K, int A, class T, stride_class S, int O>
  KROTON_INLINE static void row(kernel::store<A, T, S, true, O>, const eval&, const cursor& c, row_values& values,
                                const totals&) {
    *reinterpret_cast<T*>(c.at[A]) = static_cast<T>(kernel::get<O>(values));
  }

  template <int K, int A, class T, stride_class S>
  KROTON_INLINE static void column(kernel::load<A, T, S, true>, const eval& e, const span& at, row_values& values,
                                   const totals&) {
    kernel::get<K>(values) = e.template read<T, S>(at.from, A, at.i, at.left);
  }
  template <int K, int A, class T, stride_class S>
  KROTON_INLINE static void column(kernel::index<A, T, S, true>, const eval& e, const span& at, row_values& values,
                                   const totals&) {
    kernel::get<K>(values) = e.template indices<T, S>(at.from, A, at.i);
  }
  template <int K, class T, std::int64_t Bits>
  KROTON_INLINE static void column(kernel::constant<T, Bits>, const eval&, const span&, row_values& values,
                                   const totals&) {
    kernel::get<K>(values) = simd::broadcast<lanes<T>>(kernel::constant_of<T, Bits>);
  }
  template <int K, int P, class T>
  KROTON_INLINE static void column(kernel::extent<P, T>, const eval& e, const span&, row_values& values,
                                   const totals&) {
    kernel::get<K>(values) = simd::broadcast<lanes<T>>(static_cast<T>(e.loops().parameters[P]));
  }
  template <int K, class Op, class T, int... O>
  KROTON_INLINE static void column(kernel::apply<Op, T, true, O...>, const eval&, const span&, row_values& values,
                                   const totals&) {
    kernel::get<K>(values) = eval::template result<T>(Op::apply(kernel::get<O>(values)...));
  }
  template <int K, class T, int O>
  KROTON_INLINE static void column(kernel::convert<T, true, O>, const eval&, const span&, row_values& values,
                                   const totals&) {
    kernel::get<K>(values) = eval::template converted<T>(kernel::get<O>(values));
  }
  template <int K, class Op, class T, int O>
  KROTON_INLINE static void column(kernel::reduce<Op, T, O>, const eval&, const span&, row_values& values,
                                   const totals& sums) {
    kernel::get<K>(values) = kernel::get<K>(sums).lanes();
  }
  template <int K, int A, class T, stride_class S, int O>
  KROTON_INLINE static void column(kernel::store<A, T, S, true, O>, const eval& e, const span& at, row_values& values,
                                   const totals&) {
    e.template write<T, S>(at.from, A, at.i, at.left, kernel::get<O>(values));
  }
};

}  // namespace kroton::runtime::on_host
