// Evaluates the instructions of a fused kernel on packs of elements and on the values of rows.
#pragma once

#include <kroton/kernel/nest.hpp>
#include <kroton/kernel/schedule.hpp>
#include <kroton/kernel/simd/simd.hpp>

#include <algorithm>
#include <bit>

namespace kroton::host {

using kernel::instruction_info;
using kernel::nest;
using kernel::nest_operand;

template <int I, class V>
struct slot {
  V value;  // not initialised: every value is written before it is read
};
template <class Indices, class... V>
struct slots;
template <int... I, class... V>
struct slots<std::integer_sequence<int, I...>, V...> : slot<I, V>... {};
template <int I, class V>
constexpr V& get(slot<I, V>& s) {
  return s.value;
}
template <int I, class V>
constexpr const V& get(const slot<I, V>& s) {
  return s.value;
}

/// The value of W elements: a pack, or a mask for bool.
template <class T, int W, int Bytes>
struct lanes_of {
  using type = simd::pack<T, W>;
};
template <int W, int Bytes>
struct lanes_of<bool, W, Bytes> {
  using type = simd::mask<Bytes, W>;
};

/// A reduction over many packs, lane by lane. Floating-point sums cascade: 64 packs are added before they are added to
/// the next level, 64 of those before the next, so that rounding errors grow with the logarithm of the length.
template <class Op, class T, int W, int Bytes>
class accumulator {
 public:
  using lanes = typename lanes_of<T, W, Bytes>::type;
  accumulator() {
    for (lanes& level : levels_) level = simd::broadcast<lanes>(Op::template identity<T>);
  }
  void add(const lanes& x) {
    levels_[0] = Op::combine(levels_[0], x);
    if constexpr (depth > 1)
      if ((++count_ & 63) == 0) cascade();
  }
  lanes total_lanes() const {
    lanes all = levels_[0];
    for (int i = 1; i < depth; ++i) all = Op::combine(all, levels_[i]);
    return all;
  }
  T total() const {
    const lanes all = total_lanes();
    T parts[W];
    for (int i = 0; i < W; ++i) parts[i] = simd::lane(all, i);
    for (int width = W / 2; width > 0; width /= 2)
      for (int i = 0; i < width; ++i) parts[i] = Op::combine(parts[i], parts[i + width]);
    return parts[0];
  }
  void merge(const accumulator& later) {
    for (int i = 0; i < depth; ++i) levels_[i] = Op::combine(levels_[i], later.levels_[i]);
  }

 private:
  static constexpr int depth = std::is_floating_point_v<T> ? 4 : 1;
  void cascade() {
    for (int i = 0; i + 1 < depth; ++i) {
      levels_[i + 1] = Op::combine(levels_[i + 1], levels_[i]);
      levels_[i] = simd::broadcast<lanes>(Op::template identity<T>);
      if (((count_ >> (6 * (i + 1))) & 63) != 0) return;
    }
  }
  lanes levels_[depth];
  std::int64_t count_ = 0;
};

/// The position of the best element so far.
template <class Op, class From>
class best_position {
 public:
  void consider(From x, std::int64_t at) {
    if (at_ < 0 || Op::replaces(x, best_)) best_ = x, at_ = at;
  }
  void merge(const best_position& later) {
    if (later.at_ >= 0) consider(later.best_, later.at_);
  }
  std::int64_t total() const { return at_ < 0 ? 0 : at_; }

 private:
  From best_{};
  std::int64_t at_ = -1;
};

/// The positions of the best elements of W columns.
template <class Op, class From, int W>
struct best_positions {
  best_position<Op, From> column[W];
};

template <class Op>
inline constexpr bool finds_position = requires { Op::needs_elements; };

struct nothing {};

template <class Fused>
class evaluator;

template <step_kind Kind, class... I>
class evaluator<kernel::fused<Kind, I...>> {
 public:
  static constexpr int count = sizeof...(I);
  using plan = kernel::plan_of<kernel::fused<Kind, I...>>;
  template <class... T>
  static constexpr int widest = std::max({4, (std::is_same_v<T, bool> ? 1 : static_cast<int>(sizeof(T)))...});
  template <int K>
  using instruction = std::tuple_element_t<static_cast<std::size_t>(K), std::tuple<I...>>;
  template <int K>
  using type = typename kernel::instruction_traits<instruction<K>>::type;
  static constexpr int bytes = widest<typename kernel::instruction_traits<I>::type...>;
  static constexpr int width = std::max(1, simd::native_bytes / bytes);
  template <class T>
  using lanes = typename lanes_of<T, width, bytes>::type;
  using sequence = std::make_integer_sequence<int, count>;

  static constexpr instruction_info info(int k) { return plan::info[k]; }
  /// In column kernels a reduced value is one for each column, so it is held in lanes too.
  static constexpr bool reduced_lanes = Kind == step_kind::columns;

  template <class J>
  using element_slot = std::conditional_t<kernel::instruction_traits<J>::info.reduced, nothing,
                                          lanes<typename kernel::instruction_traits<J>::type>>;
  template <class J>
  using row_slot =
      std::conditional_t<!kernel::instruction_traits<J>::info.reduced, nothing,
                         std::conditional_t<reduced_lanes, lanes<typename kernel::instruction_traits<J>::type>,
                                            typename kernel::instruction_traits<J>::type>>;
  using element_values = slots<sequence, element_slot<I>...>;
  using row_values = slots<sequence, row_slot<I>...>;

  template <class J>
  struct accumulator_for {
    using type = nothing;
  };
  template <class Op, class T, int O>
  struct accumulator_for<kernel::reduce<Op, T, O>> {
    static constexpr auto choose() {
      if constexpr (finds_position<Op> && reduced_lanes) return type_box<best_positions<Op, evaluator::type<O>, width>>{};
      else if constexpr (finds_position<Op>) return type_box<best_position<Op, evaluator::type<O>>>{};
      else return type_box<accumulator<Op, T, width, bytes>>{};
    }
    using type = typename decltype(choose())::type;
  };
  using accumulators = slots<sequence, typename accumulator_for<I>::type...>;

  explicit evaluator(const nest& n) : n_(n) {}

  void go_to_row(std::int64_t row) {
    for (int a = 0; a < plan::when.accesses; ++a) row_[a] = n_.operands[a].start + n_.outer_offset(n_.operands[a], row);
    for (int a = 0; a < plan::when.accesses; ++a) at_[a] = row_[a];
  }
  void go_to_middle(std::int64_t m) {
    for (int a = 0; a < plan::when.accesses; ++a) at_[a] = row_[a] + n_.middle_offset(n_.operands[a], m);
  }

  /// Evaluates what loop `Phase` needs for elements [i, i + left) of the innermost axis, left <= width.
  template <int Phase, bool Whole>
  void evaluate(std::int64_t i, int left, const row_values& rows, accumulators& sums, std::int64_t position) {
    element_values v;
    [&]<int... K>(std::integer_sequence<int, K...>) {
      (step<K, Phase, Whole>(instruction<K>{}, i, left, v, rows, sums, position), ...);
    }(sequence{});
  }

  /// Computes the reduced values that are known when loop `Phase` begins and were not before.
  template <int Phase>
  void evaluate_rows(row_values& rows, accumulators& sums) {
    [&]<int... K>(std::integer_sequence<int, K...>) {
      (row_step<K, Phase>(instruction<K>{}, rows, sums), ...);
    }(sequence{});
  }

  /// The same for the columns [i, i + left) of a column kernel.
  template <int Phase, bool Whole>
  void evaluate_columns(std::int64_t i, int left, row_values& rows, accumulators& sums) {
    [&]<int... K>(std::integer_sequence<int, K...>) {
      (column_step<K, Phase, Whole>(instruction<K>{}, i, left, rows, sums), ...);
    }(sequence{});
  }

 private:
  const nest& n_;
  std::byte* row_[plan::when.accesses + 1] = {};
  std::byte* at_[plan::when.accesses + 1] = {};

  template <class T, stride_class S, bool Whole>
  lanes<T> read(int access, std::int64_t i, int left) const {
    using V = lanes<T>;
    const T* from = reinterpret_cast<const T*>(at_[access]);
    if constexpr (S == stride_class::zero) {
      return simd::broadcast<V>(*from);
    } else if constexpr (S == stride_class::unit) {
      if constexpr (std::is_same_v<T, bool>) return Whole ? simd::load_mask<V>(from + i) : simd::load_mask_partial<V>(from + i, left);
      else return Whole ? simd::load<V>(from + i) : simd::load_partial<V>(from + i, left);
    } else {
      const std::ptrdiff_t stride = n_.operands[access].inner / static_cast<std::int64_t>(sizeof(T));
      if constexpr (std::is_same_v<T, bool>) return simd::load_mask_strided<V>(from + i * stride, stride, Whole ? width : left);
      else return simd::load_strided<V>(from + i * stride, stride, Whole ? width : left);
    }
  }
  template <class T, stride_class S, bool Whole>
  void write(int access, std::int64_t i, int left, const lanes<T>& v) const {
    T* to = reinterpret_cast<T*>(at_[access]);
    if constexpr (S == stride_class::unit) {
      if constexpr (Whole) simd::store(to + i, v);
      else simd::store_partial(to + i, v, left);
    } else {
      const std::ptrdiff_t stride = S == stride_class::zero ? 0 : n_.operands[access].inner / static_cast<std::int64_t>(sizeof(T));
      for (int l = 0; l < (Whole ? width : left); ++l) to[(i + l) * stride] = simd::lane(v, l);
    }
  }
  template <class T>
  std::int64_t index_start(int access) const {
    return std::bit_cast<std::intptr_t>(at_[access]);
  }
  template <class T, stride_class S>
  lanes<T> indices(int access, std::int64_t i) const {
    const std::int64_t stride = S == stride_class::zero ? 0 : n_.operands[access].inner;
    T values[width];
    for (int l = 0; l < width; ++l) values[l] = static_cast<T>(index_start<T>(access) + (i + l) * stride);
    return simd::load<lanes<T>>(values);
  }

  /// Operand `K` in lanes, wherever it lives.
  template <int K>
  decltype(auto) in_lanes(const element_values& v, const row_values& rows) const {
    if constexpr (!info(K).reduced) return (get<K>(v));
    else if constexpr (reduced_lanes) return (get<K>(rows));
    else return simd::broadcast<lanes<type<K>>>(get<K>(rows));
  }
  template <class To, class V>
  static lanes<To> converted(const V& v) {
    if constexpr (std::is_same_v<To, bool>) return simd::convert<bytes>(simd::is_nonzero(v));
    else return simd::convert<To>(v);
  }
  template <class T, class V>
  static lanes<T> result(const V& v) {
    if constexpr (std::is_same_v<T, bool>) return simd::convert<bytes>(v);
    else return v;
  }

  template <int K, int Phase, bool Whole, int A, class T, stride_class S>
  void step(kernel::load<A, T, S, false>, std::int64_t i, int left, element_values& v, const row_values&, accumulators&, std::int64_t) {
    if constexpr (plan::when.needed[Phase][K]) get<K>(v) = read<T, S, Whole>(A, i, left);
  }
  template <int K, int Phase, bool Whole, int A, class T, stride_class S>
  void step(kernel::index<A, T, S, false>, std::int64_t i, int, element_values& v, const row_values&, accumulators&, std::int64_t) {
    if constexpr (plan::when.needed[Phase][K]) get<K>(v) = indices<T, S>(A, i);
  }
  template <int K, int Phase, bool Whole, class Op, class T, int... O>
  void step(kernel::apply<Op, T, false, O...>, std::int64_t i, int left, element_values& v, const row_values& rows, accumulators&, std::int64_t) {
    if constexpr (plan::when.needed[Phase][K]) {
      constexpr int kept = plan::when.kept_in[K];
      if constexpr (kept >= 0 && Phase > plan::when.phase[K]) {
        get<K>(v) = read<T, stride_class::unit, Whole>(kept, i, left);
      } else {
        get<K>(v) = result<T>(Op::apply(in_lanes<O>(v, rows)...));
        if constexpr (kept >= 0 && Phase == plan::when.phase[K]) write<T, stride_class::unit, Whole>(kept, i, left, get<K>(v));
      }
    }
  }
  template <int K, int Phase, bool Whole, class T, int O>
  void step(kernel::convert<T, false, O>, std::int64_t, int, element_values& v, const row_values& rows, accumulators&, std::int64_t) {
    if constexpr (plan::when.needed[Phase][K]) get<K>(v) = converted<T>(in_lanes<O>(v, rows));
  }
  template <int K, int Phase, bool Whole, int A, class T, stride_class S, int O>
  void step(kernel::store<A, T, S, false, O>, std::int64_t i, int left, element_values& v, const row_values& rows, accumulators&, std::int64_t) {
    if constexpr (plan::when.needed[Phase][K]) write<T, S, Whole>(A, i, left, in_lanes<O>(v, rows));
  }
  template <int K, int Phase, bool Whole, class Op, class T, int O>
  void step(kernel::reduce<Op, T, O>, std::int64_t, int left, element_values& v, const row_values& rows, accumulators& sums,
            std::int64_t position) {
    if constexpr (plan::when.needed[Phase][K]) {
      decltype(auto) x = in_lanes<O>(v, rows);
      if constexpr (finds_position<Op>) {
        for (int l = 0; l < (Whole ? width : left); ++l) {
          if constexpr (reduced_lanes) get<K>(sums).column[l].consider(simd::lane(x, l), position);
          else get<K>(sums).consider(simd::lane(x, l), position + l);
        }
      } else {
        const lanes<T> wide = converted_sum<T, type<O>>(x);
        if constexpr (Whole || reduced_lanes) get<K>(sums).add(wide);
        else get<K>(sums).add(first_lanes(wide, left, simd::broadcast<lanes<T>>(Op::template identity<T>)));
      }
    }
  }
  template <int K, int Phase, bool Whole, class Other>
  void step(Other, std::int64_t, int, element_values&, const row_values&, accumulators&, std::int64_t) {}

  template <class To, class From, class V>
  static lanes<To> converted_sum(const V& v) {
    if constexpr (std::is_same_v<To, From>) return v;
    else return converted<To>(v);
  }
  /// The first `left` lanes of `x`, the others of `rest`.
  template <class V>
  static V first_lanes(const V& x, int left, const V& rest) {
    using number = std::conditional_t<bytes == 8, std::int64_t, std::int32_t>;
    const auto inside = simd::iota<simd::pack<number, width>>(number{0}) < simd::broadcast<simd::pack<number, width>>(static_cast<number>(left));
    return simd::select(inside, x, rest);
  }

  // -- values of rows ------------------------------------------------------------------------------------------------
  template <int K, int Phase>
  static constexpr bool due = plan::when.phase[K] == Phase && info(K).reduced;

  template <int K, int Phase, int A, class T, stride_class S>
  void row_step(kernel::load<A, T, S, true>, row_values& rows, accumulators&) {
    if constexpr (due<K, Phase>) get<K>(rows) = *reinterpret_cast<const T*>(row_[A]);
  }
  template <int K, int Phase, int A, class T, stride_class S>
  void row_step(kernel::index<A, T, S, true>, row_values& rows, accumulators&) {
    if constexpr (due<K, Phase>) get<K>(rows) = static_cast<T>(std::bit_cast<std::intptr_t>(row_[A]));
  }
  template <int K, int Phase, class T, std::int64_t Bits>
  void row_step(kernel::constant<T, Bits>, row_values& rows, accumulators&) {
    if constexpr (due<K, Phase>) get<K>(rows) = constant_of<T, Bits>();
  }
  template <int K, int Phase, int P, class T>
  void row_step(kernel::extent<P, T>, row_values& rows, accumulators&) {
    if constexpr (due<K, Phase>) get<K>(rows) = static_cast<T>(n_.parameters[P]);
  }
  template <int K, int Phase, class Op, class T, int... O>
  void row_step(kernel::apply<Op, T, true, O...>, row_values& rows, accumulators&) {
    if constexpr (due<K, Phase>) get<K>(rows) = static_cast<T>(Op::apply(get<O>(rows)...));
  }
  template <int K, int Phase, class T, int O>
  void row_step(kernel::convert<T, true, O>, row_values& rows, accumulators&) {
    if constexpr (due<K, Phase>) get<K>(rows) = simd::convert<T>(get<O>(rows));
  }
  template <int K, int Phase, class Op, class T, int O>
  void row_step(kernel::reduce<Op, T, O>, row_values& rows, accumulators& sums) {
    if constexpr (due<K, Phase>) get<K>(rows) = static_cast<T>(get<K>(sums).total());
  }
  template <int K, int Phase, int A, class T, stride_class S, int O>
  void row_step(kernel::store<A, T, S, true, O>, row_values& rows, accumulators&) {
    if constexpr (due<K, Phase>) *reinterpret_cast<T*>(row_[A]) = get<O>(rows);
  }
  template <int K, int Phase, class Other>
  void row_step(Other, row_values&, accumulators&) {}

  template <class T, std::int64_t Bits>
  static constexpr T constant_of() {
    if constexpr (std::is_floating_point_v<T>) return static_cast<T>(std::bit_cast<double>(Bits));
    else return static_cast<T>(Bits);
  }

  // -- values of columns ---------------------------------------------------------------------------------------------
  template <int K, int Phase, bool Whole, int A, class T, stride_class S>
  void column_step(kernel::load<A, T, S, true>, std::int64_t i, int left, row_values& rows, accumulators&) {
    if constexpr (due<K, Phase>) get<K>(rows) = read<T, S, Whole>(A, i, left);
  }
  template <int K, int Phase, bool Whole, int A, class T, stride_class S>
  void column_step(kernel::index<A, T, S, true>, std::int64_t i, int, row_values& rows, accumulators&) {
    if constexpr (due<K, Phase>) get<K>(rows) = indices<T, S>(A, i);
  }
  template <int K, int Phase, bool Whole, class T, std::int64_t Bits>
  void column_step(kernel::constant<T, Bits>, std::int64_t, int, row_values& rows, accumulators&) {
    if constexpr (due<K, Phase>) get<K>(rows) = simd::broadcast<lanes<T>>(constant_of<T, Bits>());
  }
  template <int K, int Phase, bool Whole, int P, class T>
  void column_step(kernel::extent<P, T>, std::int64_t, int, row_values& rows, accumulators&) {
    if constexpr (due<K, Phase>) get<K>(rows) = simd::broadcast<lanes<T>>(static_cast<T>(n_.parameters[P]));
  }
  template <int K, int Phase, bool Whole, class Op, class T, int... O>
  void column_step(kernel::apply<Op, T, true, O...>, std::int64_t, int, row_values& rows, accumulators&) {
    if constexpr (due<K, Phase>) get<K>(rows) = result<T>(Op::apply(get<O>(rows)...));
  }
  template <int K, int Phase, bool Whole, class T, int O>
  void column_step(kernel::convert<T, true, O>, std::int64_t, int, row_values& rows, accumulators&) {
    if constexpr (due<K, Phase>) get<K>(rows) = converted<T>(get<O>(rows));
  }
  template <int K, int Phase, bool Whole, class Op, class T, int O>
  void column_step(kernel::reduce<Op, T, O>, std::int64_t, int, row_values& rows, accumulators& sums) {
    if constexpr (due<K, Phase>) {
      if constexpr (finds_position<Op>) {
        T positions[width];
        for (int l = 0; l < width; ++l) positions[l] = get<K>(sums).column[l].total();
        get<K>(rows) = simd::load<lanes<T>>(positions);
      } else {
        get<K>(rows) = get<K>(sums).total_lanes();
      }
    }
  }
  template <int K, int Phase, bool Whole, int A, class T, stride_class S, int O>
  void column_step(kernel::store<A, T, S, true, O>, std::int64_t i, int left, row_values& rows, accumulators&) {
    if constexpr (due<K, Phase>) write<T, S, Whole>(A, i, left, get<O>(rows));
  }
  template <int K, int Phase, bool Whole, class Other>
  void column_step(Other, std::int64_t, int, row_values&, accumulators&) {}
};

}  // namespace kroton::host
