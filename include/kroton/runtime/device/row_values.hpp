// This header evaluates the instructions of a fused kernel whose values belong to whole rows, or to columns, in one
// thread of a device.
//
//     z = x / sqrt(sum(x * x))  ->  after the sum: sqrt once for each row, not for each element
#pragma once

#include <kroton/runtime/device/elements.hpp>

namespace kroton::runtime::on_device {

template <class At>
class row_evaluator;

template <class Fused, int Width>
class row_evaluator<elements<Fused, Width>> {
  using at = elements<Fused, Width>;
  using loops = typename at::loops;
  using cursor = typename at::cursor;
  using row_values = typename at::row_values;
  using parts = typename at::parts;

 public:
  /// Computes the values of rows that are known when loop `Phase` begins, and not earlier. Stores write only if
  /// `writes`. In a kernel of columns the values belong to element i of the line.
  template <int Phase>
  static KROTON_DEVICE void rows(const loops& l, const cursor& c, std::int64_t i, bool writes, row_values& values,
                                 const parts& sums) {
    each<Phase>(l, c, i, writes, values, sums, typename at::sequence{});
  }

 private:
  // as a constant, because device code cannot call constexpr functions of the host
  template <int K, int Phase>
  static constexpr bool due = (at::plan::when.phase[K] == Phase) && at::info(K).reduced;

  template <int Phase, int... K>
  static KROTON_DEVICE void each(const loops& l, const cursor& c, std::int64_t i, bool writes, row_values& values,
                                 const parts& sums, std::integer_sequence<int, K...>) {
    (row<K, Phase>(typename at::template instruction<K>{}, l, c, i, writes, values, sums), ...);
  }
  template <class T, stride_class S>
  static KROTON_DEVICE std::int64_t offset(const loops& l, int access, std::int64_t i) {
    return S == stride_class::zero ? 0 : i * l.operands[access].inner;
  }
  template <int K, int Phase, int A, class T, stride_class S>
  static KROTON_DEVICE void row(kernel::load<A, T, S, true>, const loops& l, const cursor& c, std::int64_t i, bool,
                                row_values& values, const parts&) {
    if constexpr (due<K, Phase>) get<K>(values) = *reinterpret_cast<const T*>(c.at[A] + offset<T, S>(l, A, i));
  }
  template <int K, int Phase, int A, class T, stride_class S>
  static KROTON_DEVICE void row(kernel::index<A, T, S, true>, const loops& l, const cursor& c, std::int64_t i, bool,
                                row_values& values, const parts&) {
    if constexpr (due<K, Phase>)
      get<K>(values) = static_cast<T>(reinterpret_cast<std::intptr_t>(c.at[A]) + offset<T, S>(l, A, i));
  }
  template <int K, int Phase, class T, std::int64_t Bits>
  static KROTON_DEVICE void row(kernel::constant<T, Bits>, const loops&, const cursor&, std::int64_t, bool,
                                row_values& values, const parts&) {
    if constexpr (due<K, Phase>) get<K>(values) = constant_of<T, Bits>;
  }
  template <int K, int Phase, int P, class T>
  static KROTON_DEVICE void row(kernel::extent<P, T>, const loops& l, const cursor&, std::int64_t, bool,
                                row_values& values, const parts&) {
    if constexpr (due<K, Phase>) get<K>(values) = static_cast<T>(l.parameters[P]);
  }
  template <int K, int Phase, class Op, class T, int... O>
  static KROTON_DEVICE void row(kernel::apply<Op, T, true, O...>, const loops&, const cursor&, std::int64_t, bool,
                                row_values& values, const parts&) {
    if constexpr (due<K, Phase>) get<K>(values) = static_cast<T>(applied<Op>::to(get<O>(values)...));
  }
  /// The divisor of elements, as soon as it is known.
  template <int K, int Phase, class Op, class T, int... O>
  static KROTON_DEVICE void row(kernel::apply<Op, T, false, O...>, const loops&, const cursor&, std::int64_t, bool,
                                row_values& values, const parts&) {
    if constexpr (at::template divides_by_row<K>) divide<K, Phase, O...>(values);
  }
  template <int K, int Phase, int X, int D>
  static KROTON_DEVICE void divide(row_values& values) {
    if constexpr (due<D, Phase>) get<K>(values) = shared_divisor(get<D>(values));
  }
  template <int K, int Phase, class T, int O>
  static KROTON_DEVICE void row(kernel::convert<T, true, O>, const loops&, const cursor&, std::int64_t, bool,
                                row_values& values, const parts&) {
    if constexpr (due<K, Phase>) get<K>(values) = converted<T>(get<O>(values));
  }
  template <int K, int Phase, class Op, class T, int O>
  static KROTON_DEVICE void row(kernel::reduce<Op, T, O>, const loops&, const cursor&, std::int64_t, bool,
                                row_values& values, const parts& sums) {
    if constexpr (due<K, Phase>) get<K>(values) = static_cast<T>(get<K>(sums).total());
  }
  template <int K, int Phase, int A, class T, stride_class S, int O>
  static KROTON_DEVICE void row(kernel::store<A, T, S, true, O>, const loops& l, const cursor& c, std::int64_t i,
                                bool writes, row_values& values, const parts&) {
    if constexpr (due<K, Phase>)
      if (writes) *reinterpret_cast<T*>(c.at[A] + offset<T, S>(l, A, i)) = static_cast<T>(get<O>(values));
  }
  template <int K, int Phase, class Other>
  static KROTON_DEVICE void row(Other, const loops&, const cursor&, std::int64_t, bool, row_values&, const parts&) {}
};

}  // namespace kroton::runtime::on_device
