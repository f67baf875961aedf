// Evaluates the instructions of a fused kernel whose values belong to whole rows, or to columns.
#pragma once

#include <kroton/runtime/host/evaluator.hpp>

namespace kroton::on_host {

template <class Fused>
class row_evaluator {
 public:
  using eval = evaluator<Fused>;
  using types = typename eval::types;
  using cursor = typename eval::cursor;
  using row_values = typename types::row_values;
  using totals = typename types::totals;

  /// Computes the reduced values that are known when loop `Phase` begins and were not before.
  template <int Phase>
  static void rows(const eval& e, const cursor& row_start, row_values& values, const totals& sums) {
    [&]<int... K>(std::integer_sequence<int, K...>) {
      (row<K, Phase>(typename types::template instruction<K>{}, e, row_start, values, sums), ...);
    }(typename types::sequence{});
  }
  /// The same for the columns [i, i + left) of a column kernel.
  template <int Phase, bool Whole>
  static void columns(const eval& e, const cursor& row_start, std::int64_t i, int left, row_values& values, const totals& sums) {
    const span at{row_start, i, left};
    [&]<int... K>(std::integer_sequence<int, K...>) {
      (column<K, Phase, Whole>(typename types::template instruction<K>{}, e, at, values, sums), ...);
    }(typename types::sequence{});
  }

 private:
  struct span {
    const cursor& from;
    std::int64_t i;
    int left;
  };
  template <class T>
  using lanes = typename types::template lanes<T>;
  template <int K, int Phase>
  static constexpr bool due = types::plan::when.phase[K] == Phase && types::info(K).reduced;

  template <class T, std::int64_t Bits>
  static constexpr T constant_of() {
    if constexpr (std::is_floating_point_v<T>) return static_cast<T>(std::bit_cast<double>(Bits));
    else return static_cast<T>(Bits);
  }

  template <class T, class V>
  static auto converted(V value) {
    if constexpr (short_floating<T>) return static_cast<float>(T(value));
    else return simd::convert<T>(value);
  }

  template <int K, int Phase, int A, class T, stride_class S>
  static void row(kernel::load<A, T, S, true>, const eval&, const cursor& c, row_values& values, const totals&) {
    if constexpr (due<K, Phase>) get<K>(values) = *reinterpret_cast<const T*>(c.at[A]);
  }
  template <int K, int Phase, int A, class T, stride_class S>
  static void row(kernel::index<A, T, S, true>, const eval&, const cursor& c, row_values& values, const totals&) {
    if constexpr (due<K, Phase>) get<K>(values) = static_cast<T>(std::bit_cast<std::intptr_t>(c.at[A]));
  }
  template <int K, int Phase, class T, std::int64_t Bits>
  static void row(kernel::constant<T, Bits>, const eval&, const cursor&, row_values& values, const totals&) {
    if constexpr (due<K, Phase>) get<K>(values) = constant_of<T, Bits>();
  }
  template <int K, int Phase, int P, class T>
  static void row(kernel::extent<P, T>, const eval& e, const cursor&, row_values& values, const totals&) {
    if constexpr (due<K, Phase>) get<K>(values) = static_cast<T>(e.loops().parameters[P]);
  }
  template <int K, int Phase, class Op, class T, int... O>
  static void row(kernel::apply<Op, T, true, O...>, const eval&, const cursor&, row_values& values, const totals&) {
    if constexpr (due<K, Phase>) get<K>(values) = static_cast<T>(Op::apply(get<O>(values)...));
  }
  template <int K, int Phase, class T, int O>
  static void row(kernel::convert<T, true, O>, const eval&, const cursor&, row_values& values, const totals&) {
    if constexpr (due<K, Phase>) get<K>(values) = converted<T>(get<O>(values));
  }
  template <int K, int Phase, class Op, class T, int O>
  static void row(kernel::reduce<Op, T, O>, const eval&, const cursor&, row_values& values, const totals& sums) {
    if constexpr (due<K, Phase>) get<K>(values) = static_cast<T>(get<K>(sums).value());
  }
  template <int K, int Phase, int A, class T, stride_class S, int O>
  static void row(kernel::store<A, T, S, true, O>, const eval&, const cursor& c, row_values& values, const totals&) {
    if constexpr (due<K, Phase>) *reinterpret_cast<T*>(c.at[A]) = static_cast<T>(get<O>(values));
  }
  template <int K, int Phase, class Other>
  static void row(Other, const eval&, const cursor&, row_values&, const totals&) {}

  template <int K, int Phase, bool Whole, int A, class T, stride_class S>
  static void column(kernel::load<A, T, S, true>, const eval& e, const span& at, row_values& values, const totals&) {
    if constexpr (due<K, Phase>) get<K>(values) = e.template read<T, S, Whole>(at.from, A, at.i, at.left);
  }
  template <int K, int Phase, bool Whole, int A, class T, stride_class S>
  static void column(kernel::index<A, T, S, true>, const eval& e, const span& at, row_values& values, const totals&) {
    if constexpr (due<K, Phase>) get<K>(values) = e.template indices<T, S>(at.from, A, at.i);
  }
  template <int K, int Phase, bool Whole, class T, std::int64_t Bits>
  static void column(kernel::constant<T, Bits>, const eval&, const span&, row_values& values, const totals&) {
    if constexpr (due<K, Phase>) get<K>(values) = simd::broadcast<lanes<T>>(constant_of<T, Bits>());
  }
  template <int K, int Phase, bool Whole, int P, class T>
  static void column(kernel::extent<P, T>, const eval& e, const span&, row_values& values, const totals&) {
    if constexpr (due<K, Phase>) get<K>(values) = simd::broadcast<lanes<T>>(static_cast<T>(e.loops().parameters[P]));
  }
  template <int K, int Phase, bool Whole, class Op, class T, int... O>
  static void column(kernel::apply<Op, T, true, O...>, const eval&, const span&, row_values& values, const totals&) {
    if constexpr (due<K, Phase>) get<K>(values) = eval::template result<T>(Op::apply(get<O>(values)...));
  }
  template <int K, int Phase, bool Whole, class T, int O>
  static void column(kernel::convert<T, true, O>, const eval&, const span&, row_values& values, const totals&) {
    if constexpr (due<K, Phase>) get<K>(values) = eval::template converted<T>(get<O>(values));
  }
  template <int K, int Phase, bool Whole, class Op, class T, int O>
  static void column(kernel::reduce<Op, T, O>, const eval&, const span&, row_values& values, const totals& sums) {
    if constexpr (due<K, Phase>) get<K>(values) = get<K>(sums).lanes();
  }
  template <int K, int Phase, bool Whole, int A, class T, stride_class S, int O>
  static void column(kernel::store<A, T, S, true, O>, const eval& e, const span& at, row_values& values, const totals&) {
    if constexpr (due<K, Phase>) e.template write<T, S, Whole>(at.from, A, at.i, at.left, get<O>(values));
  }
  template <int K, int Phase, bool Whole, class Other>
  static void column(Other, const eval&, const span&, row_values&, const totals&) {}
};

}  // namespace kroton::on_host
