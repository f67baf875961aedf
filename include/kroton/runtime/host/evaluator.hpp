// This header evaluates the instructions of a fused kernel on packs of elements of the innermost axis.
//
// `evaluate<Phase>` calls `step` for each instruction that the loop needs, and for no other; all of it is inlined into
// the loop. In
//
//     fused<rows, load<0, float, unit, false>, reduce<ops::max, float, 0>, apply<ops::sub, float, false, 0, 1>, ...>
//
// loop 0 loads a pack and adds it to the part of the maximum; loop 1 loads it again and subtracts the maximum of the
// row, which is a number by then.
#pragma once

#include <kroton/config.hpp>
#include <kroton/runtime/host/lanes.hpp>
#include <kroton/runtime/host/row_walk.hpp>

#include <bit>

namespace kroton::runtime::on_host {

template <class Fused, int MostLanes = most_lanes>
class evaluator;

template <step_kind Kind, class... I, int MostLanes>
class evaluator<kernel::fused<Kind, I...>, MostLanes> : public kernel_types<kernel::fused<Kind, I...>, MostLanes> {
 public:
  using types = kernel_types<kernel::fused<Kind, I...>, MostLanes>;
  using typename types::draws;
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

  /// `d`: random bits of this thread.
  KROTON_INLINE evaluator(const nest& n, const cache_use& caches, draws& d)
      : n_(n), draws_(d), kept_in_caches_(caches.streams ? 0 : ~std::uintptr_t{0}), ahead_(caches.ahead) {
    for (int a = 0; a < types::accesses; ++a) {
      step_[a] = n.operands[a].inner;
      line_[a] = n.operands[a].middle[0];
      if (Kind == step_kind::over_rows && n.outer_rank > 0) next_[a] = distance_to_next_row(n, n.operands[a]);
    }
  }

  /// The addresses at which the accesses begin on the innermost axis.
  using cursor = row_cursor<types::accesses>;
  cursor row(std::int64_t row) const { return cursor::of_row(n_, row); }
  /// See on_host::each_row.
  template <class Body>
  KROTON_INLINE void each_row(std::int64_t first, std::int64_t past, const Body& body) const {
    on_host::each_row<types::accesses>(n_, first, past, body);
  }
  /// The reduced line `m` of `row`.
  cursor line(const cursor& row, std::int64_t m) const {
    cursor c;
    if (n_.middle_rank <= 1) {
      for (int a = 0; a < types::accesses; ++a) c.at[a] = nest::moved(row.at[a], m * line_[a]);
    } else {
      std::int64_t found[types::accesses + 1];
      find_line(n_, types::accesses, m, found);
      for (int a = 0; a < types::accesses; ++a) c.at[a] = nest::moved(row.at[a], found[a]);
    }
    return c;
  }
  const nest& loops() const { return n_; }

  /// Elements of the innermost axis: [i, i + left), left <= width. A caller that passes the constant `width` as `left`
  /// gets code for whole packs alone.
  struct pack_range {
    const cursor& from;
    std::int64_t i;
    int left;
    std::int64_t position;  ///< of element i among the reduced elements; in a column kernel, of the whole range
  };
  /// Evaluates the instructions `K` in loop `Phase`.
  template <int Phase, int... K>
  KROTON_INLINE void evaluate(std::integer_sequence<int, K...>, const pack_range& at, const row_values& rows,
                              parts& sums) const {
    element_values v;
    if constexpr (Kind == step_kind::over_rows && Phase > 0 && Phase + 1 == types::phases) {
      prefetch_next_row(typename types::template loop<0>::evaluated(), at);
      (prefetch_stored(typename types::template instruction<K>(), at), ...);
    }
    if constexpr (types::prefetches)
      if (ahead_ != 0) (prefetch_ahead(typename types::template instruction<K>(), at), ...);
    (step<K, Phase>(typename types::template instruction<K>(), at, v, rows, sums), ...);
  }

  template <class T, stride_class S>
  KROTON_INLINE lanes<T> read(const cursor& c, int access, std::int64_t i, int left) const {
    using V = lanes<T>;
    const T* from = reinterpret_cast<const T*>(c.at[access]);
    if constexpr (S == stride_class::zero) {
      return simd::broadcast<V>(*from);
    } else if constexpr (S == stride_class::unit) {
      if constexpr (std::is_same_v<T, bool>)
        return left == width ? simd::load_mask<V>(from + i) : simd::load_mask_partial<V>(from + i, left);
      else return left == width ? simd::load<V>(from + i) : simd::load_partial<V>(from + i, left);
    } else {
      constexpr std::int64_t element = sizeof(T);
      if constexpr (Kind == step_kind::over_columns)
        if (step_[access] == element) return read<T, stride_class::unit>(c, access, i, left);
      if constexpr (Kind == step_kind::over_columns && std::is_floating_point_v<T>)
        if (step_[access] == 2 * element) return simd::load_every_second<V>(from + 2 * i, left);
      const std::ptrdiff_t stride = step_[access] / element;
      if constexpr (std::is_same_v<T, bool>) return simd::load_mask_strided<V>(from + i * stride, stride, left);
      else return simd::load_strided<V>(from + i * stride, stride, left);
    }
  }
  template <class T, stride_class S>
  KROTON_INLINE void write(const cursor& c, int access, std::int64_t i, int left, const lanes<T>& v) const {
    T* to = reinterpret_cast<T*>(c.at[access]);
    if constexpr (S == stride_class::unit) {
      if (left != width) simd::store_partial(to + i, v, left);
      else if (Kind == step_kind::map && !never_streams() &&
               (std::bit_cast<std::uintptr_t>(to + i) & (kept_in_caches_ | (sizeof(v) - 1))) == 0)
        simd::stream(to + i, v);
      else simd::store(to + i, v);
    } else {
      const std::ptrdiff_t stride = S == stride_class::zero ? 0 : step_[access] / static_cast<std::int64_t>(sizeof(T));
      if (Kind == step_kind::over_columns && stride == 1) return write<T, stride_class::unit>(c, access, i, left, v);
      simd::store_strided(to + i * stride, v, stride, left);
    }
  }
  template <class T, stride_class S>
  KROTON_INLINE lanes<T> indices(const cursor& c, int access, std::int64_t i) const {
    const std::int64_t stride = S == stride_class::zero ? 0 : step_[access],
                       first = std::bit_cast<std::intptr_t>(c.at[access]);
    T values[width];
    for (int l = 0; l < width; ++l) values[l] = static_cast<T>(first + (i + l) * stride);
    return simd::load<lanes<T>>(values);
  }
  template <class To, class V>
  KROTON_INLINE static lanes<To> converted(const V& v) {
    if constexpr (std::is_same_v<To, bool>) return simd::convert<bytes>(simd::is_nonzero(v));
    else if constexpr (short_floating<To>) return simd::rounded_to<To>(simd::convert<float>(v));
    else return simd::convert<To>(v);
  }
  template <class T, class V>
  KROTON_INLINE static lanes<T> result(const V& v) {
    if constexpr (std::is_same_v<T, bool>) return simd::convert<bytes>(v);
    else return v;
  }

 private:
  const nest& n_;
  draws& draws_;
  std::int64_t step_[types::accesses + 1] = {}, line_[types::accesses + 1] = {}, next_[types::accesses + 1] = {};
  std::uintptr_t kept_in_caches_;  ///< no bits if stores go around the caches, else all bits
  std::int64_t ahead_;             ///< bytes from what a map loads to what it prefetches; 0: it prefetches nothing

  /// Whether the compiler knows that no store goes around the caches, as in straight code.
  KROTON_INLINE bool never_streams() const {
    return __builtin_constant_p(kept_in_caches_) && kept_in_caches_ == ~std::uintptr_t{0};
  }

  // In a kernel of several loops over a row, the first loop waits for memory and the last loop computes, because a
  // processor does not look ahead across pages of 4 KiB. So the last loop prefetches elements of the next row: those
  // that the first loop reads, and those that it writes itself.

  /// Bytes from a row to the next; 0 for rows that are so long that the caches would not keep the prefetched elements.
  KROTON_INLINE static std::int64_t distance_to_next_row(const nest& n, const nest_operand& o) {
    constexpr std::int64_t longest = 1 << 16;
    const std::int64_t distance = o.outer[n.outer_rank - 1];
    return distance <= longest && distance >= -longest ? distance : 0;
  }
  template <int... K>
  KROTON_INLINE void prefetch_next_row(std::integer_sequence<int, K...>, const pack_range& at) const {
    (prefetch_loaded(typename types::template instruction<K>(), at), ...);
  }
  template <class Instruction>
  KROTON_INLINE void prefetch_loaded(Instruction, const pack_range&) const {}
  template <int A, class T>
  KROTON_INLINE void prefetch_loaded(kernel::load<A, T, stride_class::unit, false>, const pack_range& at) const {
    __builtin_prefetch(in_next_row<T>(A, at));
  }
  template <class Instruction>
  KROTON_INLINE void prefetch_ahead(Instruction, const pack_range&) const {}
  template <int A, class T>
  KROTON_INLINE void prefetch_ahead(kernel::load<A, T, stride_class::unit, false>, const pack_range& at) const {
    __builtin_prefetch(nest::moved(at.from.at[A], at.i * static_cast<std::int64_t>(sizeof(T)) + ahead_));
  }
  template <class Instruction>
  KROTON_INLINE void prefetch_stored(Instruction, const pack_range&) const {}
  template <int A, class T, int O>
  KROTON_INLINE void prefetch_stored(kernel::store<A, T, stride_class::unit, false, O>, const pack_range& at) const {
    __builtin_prefetch(in_next_row<T>(A, at), 1);
  }
  template <class T>
  KROTON_INLINE const std::byte* in_next_row(int access, const pack_range& at) const {
    return nest::moved(at.from.at[access], at.i * static_cast<std::int64_t>(sizeof(T)) + next_[access]);
  }

  /// The result of `Op`. One that draws random bits takes neighbouring positions as the first of them, and the state as
  /// numbers.
  template <int K, class Op, class T, int... O>
  KROTON_INLINE lanes<T> applied(const pack_range& at, const element_values& v, const row_values& rows) const {
    if constexpr (requires { Op::draws; }) return drawn<K, Op, T, O...>(at, v, rows);
    else return result<T>(Op::apply(in_lanes<O>(v, rows)...));
  }
  template <int K, class Op, class T, int Position, int... State>
  KROTON_INLINE lanes<T> drawn(const pack_range& at, const element_values& v, const row_values& rows) const {
    return Op::template apply_to_pack<lanes<T>>(
        kernel::get<K>(draws_), positions<Position>(typename types::template instruction<Position>(), at, v, rows),
        number<State>(v, rows)...);
  }
  template <int K, int A, class T>
  KROTON_INLINE simd::consecutive positions(kernel::index<A, T, stride_class::unit, false>, const pack_range& at,
                                            const element_values&, const row_values&) const {
    return simd::consecutive{std::bit_cast<std::uintptr_t>(at.from.at[A]) + static_cast<std::uint64_t>(at.i)};
  }
  template <int K, class Other>
  KROTON_INLINE auto positions(Other, const pack_range&, const element_values& v, const row_values& rows) const {
    return in_lanes<K>(v, rows);
  }
  /// A value that all elements share, as a number.
  template <int K>
  KROTON_INLINE static auto number(const element_values& v, const row_values& rows) {
    if constexpr (info(K).reduced && !reduced_lanes) return kernel::get<K>(rows);
    else return simd::to_array(in_lanes<K>(v, rows))[0];
  }

  /// Operand `K` in lanes, whether it is a value of elements or of a row.
  template <int K>
  KROTON_INLINE static decltype(auto) in_lanes(const element_values& v, const row_values& rows) {
    if constexpr (!info(K).reduced) return (kernel::get<K>(v));
    else if constexpr (reduced_lanes) return (kernel::get<K>(rows));
    else return simd::broadcast<lanes<typename types::template type<K>>>(kernel::get<K>(rows));
  }

  template <int K, int Phase, int A, class T, stride_class S>
  KROTON_INLINE void step(kernel::load<A, T, S, false>, const pack_range& at, element_values& v, const row_values&,
                          parts&) const {
    kernel::get<K>(v) = read<T, S>(at.from, A, at.i, at.left);
  }
  template <int K, int Phase, int A, class T, stride_class S>
  KROTON_INLINE void step(kernel::index<A, T, S, false>, const pack_range& at, element_values& v, const row_values&,
                          parts&) const {
    kernel::get<K>(v) = indices<T, S>(at.from, A, at.i);
  }
  template <int K, int Phase, class Op, class T, int... O>
  KROTON_INLINE void step(kernel::apply<Op, T, false, O...>, const pack_range& at, element_values& v,
                          const row_values& rows, parts&) const {
    constexpr int kept = plan::when.kept_in[K];
    if constexpr (kept >= 0 && Phase > plan::when.phase[K]) {
      kernel::get<K>(v) = read<T, plan::kept_stride>(at.from, kept, at.i, at.left);
    } else {
      kernel::get<K>(v) = applied<K, Op, T, O...>(at, v, rows);
      if constexpr (kept >= 0 && Phase == plan::when.phase[K])
        write<T, plan::kept_stride>(at.from, kept, at.i, at.left, kernel::get<K>(v));
    }
  }
  template <int K, int Phase, class T, int O>
  KROTON_INLINE void step(kernel::convert<T, false, O>, const pack_range&, element_values& v, const row_values& rows,
                          parts&) const {
    kernel::get<K>(v) = converted<T>(in_lanes<O>(v, rows));
  }
  template <int K, int Phase, int A, class T, stride_class S, int O>
  KROTON_INLINE void step(kernel::store<A, T, S, false, O>, const pack_range& at, element_values& v,
                          const row_values& rows, parts&) const {
    write<T, S>(at.from, A, at.i, at.left, in_lanes<O>(v, rows));
  }
  template <int K, int Phase, class Op, class T, int O>
  KROTON_INLINE void step(kernel::reduce<Op, T, O>, const pack_range& at, element_values& v, const row_values& rows,
                          parts& sums) const {
    using From = typename types::template type<O>;
    const auto& x = in_lanes<O>(v, rows);
    const int left = reduced_lanes ? width : at.left;
    if constexpr (finds_position<Op>) {
      const auto positions = reduced_lanes ? simd::broadcast<lanes<T>>(at.position) : simd::iota<lanes<T>>(at.position);
      kernel::get<K>(sums).add(x, positions, left);
    } else if constexpr (!std::is_same_v<T, From>) {
      add<Op, T>(kernel::get<K>(sums), converted<T>(x), left);
    } else {
      add<Op, T>(kernel::get<K>(sums), x, left);
    }
  }
  template <class Op, class T>
  KROTON_INLINE static void add(lane_part<Op, lanes<T>>& sum, const lanes<T>& x, int left) {
    if (left == width) sum.add(x);
    else sum.add(first_lanes<bytes>(x, left, simd::broadcast<lanes<T>>(Op::template identity<T>)));
  }
};

}  // namespace kroton::runtime::on_host
