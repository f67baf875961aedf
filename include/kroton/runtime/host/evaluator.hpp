// Evaluates the instructions of a fused kernel on packs of elements of the innermost axis.
#pragma once

#include <kroton/config.hpp>
#include <kroton/kernel/nest.hpp>
#include <kroton/runtime/host/lanes.hpp>

#include <bit>

namespace kroton::on_host {

using kernel::nest;
using kernel::nest_operand;

template <class Fused>
class evaluator;

template <step_kind Kind, class... I>
class evaluator<kernel::fused<Kind, I...>> : public kernel_types<kernel::fused<Kind, I...>> {
 public:
  using types = kernel_types<kernel::fused<Kind, I...>>;
  using typename types::element_values;
  using typename types::parts;
  using typename types::plan;
  using typename types::row_values;
  using types::bytes;
  using types::info;
  using types::reduced_lanes;
  using types::width;
  template <class T>
  using lanes = typename types::template lanes<T>;

  /// `stream`: whether stores of whole packs go around the caches, as what is written exceeds them.
  evaluator(const nest& n, bool stream) : n_(n), stream_(stream) {
    for (int a = 0; a < types::accesses; ++a) {
      step_[a] = n.operands[a].inner;
      line_[a] = n.operands[a].middle[0];
    }
  }

  /// Where the accesses begin on the innermost axis.
  struct cursor {
    std::byte* at[types::accesses + 1] = {};
  };
  cursor row(std::int64_t row) const {
    cursor c;
    for (int a = 0; a < types::accesses; ++a) c.at[a] = nest::moved(n_.operands[a].start, n_.outer_offset(n_.operands[a], row));
    return c;
  }
  /// Reduced line `m` of the row of `c`.
  cursor line(const cursor& row, std::int64_t m) const {
    cursor c;
    if (n_.middle_rank <= 1) {  // the usual case, between loops that memory must not wait for
      for (int a = 0; a < types::accesses; ++a) c.at[a] = nest::moved(row.at[a], m * line_[a]);
    } else {
      for (int a = 0; a < types::accesses; ++a) c.at[a] = nest::moved(row.at[a], n_.middle_offset(n_.operands[a], m));
    }
    return c;
  }
  const nest& loops() const { return n_; }

  /// Evaluates what loop `Phase` needs for elements [i, i + left) of the innermost axis, left <= width; `position` is
  /// that of element i among those that are reduced (in a column kernel: of all of them).
  template <int Phase, bool Whole>
  KROTON_INLINE void evaluate(const cursor& c, std::int64_t i, int left, const row_values& rows, parts& sums, std::int64_t position) const {
    element_values v;
    const place at{c, i, left, position};
    [&]<int... K>(std::integer_sequence<int, K...>) KROTON_INLINE_LAMBDA {
      (step<K, Phase, Whole>(typename types::template instruction<K>{}, at, v, rows, sums), ...);
    }(typename types::sequence{});
  }

  template <class T, stride_class S, bool Whole>
  KROTON_INLINE lanes<T> read(const cursor& c, int access, std::int64_t i, int left) const {
    using V = lanes<T>;
    const T* from = reinterpret_cast<const T*>(c.at[access]);
    if constexpr (S == stride_class::zero) {
      return simd::broadcast<V>(*from);
    } else if constexpr (S == stride_class::unit) {
      if constexpr (std::is_same_v<T, bool>) return Whole ? simd::load_mask<V>(from + i) : simd::load_mask_partial<V>(from + i, left);
      else return Whole ? simd::load<V>(from + i) : simd::load_partial<V>(from + i, left);
    } else {
      const std::ptrdiff_t stride = step_[access] / static_cast<std::int64_t>(sizeof(T));
      if constexpr (std::is_same_v<T, bool>) return simd::load_mask_strided<V>(from + i * stride, stride, Whole ? width : left);
      else return simd::load_strided<V>(from + i * stride, stride, Whole ? width : left);
    }
  }
  template <class T, stride_class S, bool Whole>
  KROTON_INLINE void write(const cursor& c, int access, std::int64_t i, int left, const lanes<T>& v) const {
    T* to = reinterpret_cast<T*>(c.at[access]);
    if constexpr (S == stride_class::unit) {
      if constexpr (!Whole) simd::store_partial(to + i, v, left);
      else if (Kind == step_kind::map && stream_ && std::bit_cast<std::uintptr_t>(to + i) % sizeof(v) == 0) simd::stream(to + i, v);
      else simd::store(to + i, v);
    } else {
      const std::ptrdiff_t stride = S == stride_class::zero ? 0 : step_[access] / static_cast<std::int64_t>(sizeof(T));
      for (int l = 0; l < (Whole ? width : left); ++l) to[(i + l) * stride] = static_cast<T>(simd::lane(v, l));
    }
  }
  template <class T, stride_class S>
  lanes<T> indices(const cursor& c, int access, std::int64_t i) const {
    const std::int64_t stride = S == stride_class::zero ? 0 : step_[access], first = std::bit_cast<std::intptr_t>(c.at[access]);
    T values[width];
    for (int l = 0; l < width; ++l) values[l] = static_cast<T>(first + (i + l) * stride);
    return simd::load<lanes<T>>(values);
  }
  template <class To, class V>
  static lanes<To> converted(const V& v) {
    if constexpr (std::is_same_v<To, bool>) return simd::convert<bytes>(simd::is_nonzero(v));
    else if constexpr (short_floating<To>) return simd::rounded_to<To>(simd::convert<float>(v));
    else return simd::convert<To>(v);
  }
  template <class T, class V>
  static lanes<T> result(const V& v) {
    if constexpr (std::is_same_v<T, bool>) return simd::convert<bytes>(v);
    else return v;
  }

 private:
  const nest& n_;
  std::int64_t step_[types::accesses + 1] = {}, line_[types::accesses + 1] = {};
  bool stream_;

  struct place {
    const cursor& from;
    std::int64_t i;
    int left;
    std::int64_t position;
  };
  template <int Phase, int K>
  static constexpr bool needed = plan::when.needed[Phase][K];

  /// Operand `K` in lanes, wherever it lives.
  template <int K>
  static decltype(auto) in_lanes(const element_values& v, const row_values& rows) {
    if constexpr (!info(K).reduced) return (get<K>(v));
    else if constexpr (reduced_lanes) return (get<K>(rows));
    else return simd::broadcast<lanes<typename types::template type<K>>>(get<K>(rows));
  }

  template <int K, int Phase, bool Whole, int A, class T, stride_class S>
  KROTON_INLINE void step(kernel::load<A, T, S, false>, const place& at, element_values& v, const row_values&, parts&) const {
    if constexpr (needed<Phase, K>) get<K>(v) = read<T, S, Whole>(at.from, A, at.i, at.left);
  }
  template <int K, int Phase, bool Whole, int A, class T, stride_class S>
  KROTON_INLINE void step(kernel::index<A, T, S, false>, const place& at, element_values& v, const row_values&, parts&) const {
    if constexpr (needed<Phase, K>) get<K>(v) = indices<T, S>(at.from, A, at.i);
  }
  template <int K, int Phase, bool Whole, class Op, class T, int... O>
  KROTON_INLINE void step(kernel::apply<Op, T, false, O...>, const place& at, element_values& v, const row_values& rows, parts&) const {
    if constexpr (needed<Phase, K>) {
      constexpr int kept = plan::when.kept_in[K];
      if constexpr (kept >= 0 && Phase > plan::when.phase[K]) {
        get<K>(v) = read<T, stride_class::unit, Whole>(at.from, kept, at.i, at.left);
      } else {
        get<K>(v) = result<T>(Op::apply(in_lanes<O>(v, rows)...));
        if constexpr (kept >= 0 && Phase == plan::when.phase[K])
          write<T, stride_class::unit, Whole>(at.from, kept, at.i, at.left, get<K>(v));
      }
    }
  }
  template <int K, int Phase, bool Whole, class T, int O>
  KROTON_INLINE void step(kernel::convert<T, false, O>, const place&, element_values& v, const row_values& rows, parts&) const {
    if constexpr (needed<Phase, K>) get<K>(v) = converted<T>(in_lanes<O>(v, rows));
  }
  template <int K, int Phase, bool Whole, int A, class T, stride_class S, int O>
  KROTON_INLINE void step(kernel::store<A, T, S, false, O>, const place& at, element_values& v, const row_values& rows, parts&) const {
    if constexpr (needed<Phase, K>) write<T, S, Whole>(at.from, A, at.i, at.left, in_lanes<O>(v, rows));
  }
  template <int K, int Phase, bool Whole, class Op, class T, int O>
  KROTON_INLINE void step(kernel::reduce<Op, T, O>, const place& at, element_values& v, const row_values& rows, parts& sums) const {
    if constexpr (needed<Phase, K>) {
      using From = typename types::template type<O>;
      decltype(auto) x = in_lanes<O>(v, rows);
      if constexpr (finds_position<Op>) {
        const auto positions = reduced_lanes ? simd::broadcast<lanes<T>>(at.position) : simd::iota<lanes<T>>(at.position);
        get<K>(sums).add(x, positions, Whole || reduced_lanes ? width : at.left);
      } else if constexpr (!std::is_same_v<T, From>) {
        add<Op, K, T, Whole>(sums, converted<T>(x), at.left);
      } else {
        add<Op, K, T, Whole>(sums, x, at.left);
      }
    }
  }
  template <class Op, int K, class T, bool Whole>
  KROTON_INLINE static void add(parts& sums, const lanes<T>& x, int left) {
    if constexpr (Whole || reduced_lanes) get<K>(sums).add(x);
    else get<K>(sums).add(first_lanes<bytes>(x, left, simd::broadcast<lanes<T>>(Op::template identity<T>)));
  }
  template <int K, int Phase, bool Whole, class Other>
  KROTON_INLINE void step(Other, const place&, element_values&, const row_values&, parts&) const {}
};

}  // namespace kroton::on_host
