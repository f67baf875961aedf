// This header evaluates the instructions of a fused kernel in one thread of a device, for a pack of neighbouring
// elements: all loads first, then arithmetic, then stores.
//
//     fused<map, load 0, exp #0, store 1>, packs of 4  ->  one load of 16 bytes, four exp, one store of 16 bytes
#pragma once

#include <kroton/kernel/slots.hpp>
#include <kroton/runtime/device/loops.hpp>
#include <kroton/runtime/device/parts.hpp>
#include <kroton/runtime/device/values.hpp>

#include <algorithm>
#include <tuple>

namespace kroton::runtime::on_device {

using kernel::get;
using kernel::nothing;

/// Bytes of the elements that an instruction loads or stores; 1 if it is the same one for a whole line, and for other
/// instructions.
template <class Instruction>
inline constexpr int bytes_of = 1;
template <int A, class T, stride_class S, bool R>
inline constexpr int bytes_of<kernel::load<A, T, S, R>> = S == stride_class::zero ? 1 : sizeof(T);
template <int A, class T, stride_class S, bool R, int O>
inline constexpr int bytes_of<kernel::store<A, T, S, R, O>> = S == stride_class::zero ? 1 : sizeof(T);

/// Whether an operation draws random bits at positions that follow each other.
template <class Op, class... Operands>
inline constexpr bool draws_neighbours = false;
template <class Op, int A, class T, class... State>
  requires requires { Op::draws; }
inline constexpr bool draws_neighbours<Op, kernel::index<A, T, stride_class::unit, false>, State...> = true;

/// `Width`: the neighbouring elements that a thread takes at a time; 0: as many of the widest elements as fit into 16
/// bytes.
template <class Fused, int Width = 0>
class elements;

template <step_kind Kind, class... I, int Width>
class elements<kernel::fused<Kind, I...>, Width> {
 public:
  using plan = kernel::plan_of<kernel::fused<Kind, I...>>;
  static constexpr step_kind kind = Kind;
  using loops = kernel_loops<kernel::fused<Kind, I...>>;
  using cursor = typename loops::cursor;
  static constexpr int count = sizeof...(I), phases = plan::when.phases;
  using sequence = std::make_integer_sequence<int, count>;
  template <int K>
  using instruction = std::tuple_element_t<static_cast<std::size_t>(K), std::tuple<I...>>;
  template <int K>
  using type = typename kernel::instruction_traits<instruction<K>>::type;
  static constexpr kernel::instruction_info info(int k) { return plan::info[k]; }

  static constexpr int width = Width > 0 ? Width : 16 / std::max({2, bytes_of<I>...});

  template <class J>
  struct part_of {
    using type = nothing;
  };
  template <class Op, class T, int O>
  struct part_of<kernel::reduce<Op, T, O>> {
    using type = std::conditional_t<finds_position<Op>, thread_position<Op, elements::type<O>>, thread_part<Op, T>>;
  };
  template <class J>
  using element_slot = std::conditional_t<kernel::instruction_traits<J>::info.reduced, nothing,
                                          typename kernel::instruction_traits<J>::type>;
  template <class J>
  using row_slot = std::conditional_t<kernel::instruction_traits<J>::info.reduced,
                                      typename kernel::instruction_traits<J>::type, nothing>;
  using values = kernel::slots<sequence, element_slot<I>...>;
  using pack_values = plain_array<values, width>;
  using row_values = kernel::slots<sequence, row_slot<I>...>;
  using parts = kernel::slots<sequence, typename part_of<I>::type...>;

  /// A thread's elements [i, i + left) of a line.
  struct pack_range {
    const loops& all;
    const cursor& from;
    std::int64_t i;
    int left;
    std::int64_t position;  ///< of element i among the reduced elements; in a kernel of columns, of the whole range
  };
  /// Pack `pack` of a line. `first`: the number of reduced elements before the line.
  static KROTON_DEVICE pack_range range_of(const loops& l, const cursor& line, std::int64_t pack, std::int64_t first) {
    const std::int64_t i = pack * width, left = l.space.inner - i;
    return {l, line, i, left < width ? static_cast<int>(left) : width, first + i};
  }
  /// Whether every pack has its full width and can be loaded at once.
  static KROTON_DEVICE bool has_whole_packs(const loops& l) { return l.alignment == 16 && l.space.inner % width == 0; }
  /// The number of packs that a thread loads before it uses the first, so that it waits for memory once and not for
  /// each pack. Loaded packs take registers.
  static constexpr int loaded_together = [] {
    constexpr int loads = (0 + ... + (access_of_load<I> >= 0));
    return loads <= 2 ? 4 : loads <= 4 ? 2 : 1;
  }();
  /// Loads the elements that loop `Phase` needs. `Kept`: the values of earlier loops are still in `v`; else they are
  /// computed again. `Whole`: see has_whole_packs.
  template <int Phase, bool Kept, bool Whole = false>
  static KROTON_DEVICE void load(const pack_range& at, pack_values& v) {
    load_each<Phase, Kept, Whole>(at, v, sequence{});
  }
  /// Computes the values that loop `Phase` needs from the loaded elements. `sums`: the parts of reductions of this
  /// thread; in a kernel of columns, one for each column.
  template <int Phase, bool Kept>
  static KROTON_DEVICE void compute(const pack_range& at, pack_values& v, const row_values& rows, parts* sums) {
    compute_each<Phase, Kept>(at, v, rows, sums, sequence{});
  }
  /// Loads and computes.
  template <int Phase, bool Kept>
  static KROTON_DEVICE void evaluate(const pack_range& at, pack_values& v, const row_values& rows, parts* sums) {
    load<Phase, Kept>(at, v);
    compute<Phase, Kept>(at, v, rows, sums);
  }
  template <int Phase>
  static KROTON_DEVICE void merge(parts& x, const parts& y) {
    merge_each<Phase>(x, y, sequence{});
  }
  template <int Phase>
  static KROTON_DEVICE void fold(parts& x) {
    fold_each<Phase>(x, sequence{});
  }
  /// The parts of a thread that has added up `sum`, in a kernel with one reduction.
  template <class T>
  static KROTON_DEVICE parts reduced_to(T sum) {
    parts every;
    add_each(every, sum, sequence{});
    return every;
  }
  /// Whether loop `Phase` reduces anything.
  template <int Phase>
  static constexpr bool reduces = [] {
    for (int k = 0; k < count; ++k)
      if (info(k).kind == instruction_kind::reduce && plan::when.phase[k] == Phase + 1) return true;
    return false;
  }();

 private:
  // as constants, because device code cannot call constexpr functions of the host
  template <int K>
  static constexpr bool is_reduced = info(K).reduced;
  template <int K, int Phase, bool Kept>
  static constexpr bool due = Kept ? !info(K).reduced && plan::when.phase[K] == Phase : plan::when.needed[Phase][K];
  template <int K, int Phase>
  static constexpr bool is_reduced_in = (info(K).kind == instruction_kind::reduce) && plan::when.phase[K] == Phase + 1;

  template <int Phase, bool Kept, bool Whole, int... K>
  static KROTON_DEVICE void load_each(const pack_range& at, pack_values& v, std::integer_sequence<int, K...>) {
    (load_one<K, Phase, Kept, Whole>(instruction<K>{}, at, v), ...);
  }
  template <int Phase, bool Kept, int... K>
  static KROTON_DEVICE void compute_each(const pack_range& at, pack_values& v, const row_values& rows, parts* sums,
                                         std::integer_sequence<int, K...>) {
    (step<K, Phase, Kept>(instruction<K>{}, at, v, rows, sums), ...);
  }
  template <int Phase, int... K>
  static KROTON_DEVICE void merge_each(parts& x, const parts& y, std::integer_sequence<int, K...>) {
    (merge_one<K, Phase>(x, y), ...);
  }
  template <int K, int Phase>
  static KROTON_DEVICE void merge_one(parts& x, const parts& y) {
    if constexpr (is_reduced_in<K, Phase>) get<K>(x).merge(get<K>(y));
  }
  template <int Phase, int... K>
  static KROTON_DEVICE void fold_each(parts& x, std::integer_sequence<int, K...>) {
    (fold_one<K, Phase>(x), ...);
  }
  template <int K, int Phase>
  static KROTON_DEVICE void fold_one(parts& x) {
    if constexpr (is_reduced_in<K, Phase>) get<K>(x).fold();
  }

  template <class T, int... K>
  static KROTON_DEVICE void add_each(parts& x, T sum, std::integer_sequence<int, K...>) {
    (add_one<K>(x, sum), ...);
  }
  template <int K, class T>
  static KROTON_DEVICE void add_one(parts& x, T sum) {
    if constexpr (is_reduced_in<K, 0>) get<K>(x).add(sum);
  }

  template <int K>
  static KROTON_DEVICE const auto& operand(const values& v, const row_values& rows) {
    if constexpr (is_reduced<K>) return get<K>(rows);
    else return get<K>(v);
  }
  template <int K, bool Whole, class T>
  static KROTON_DEVICE void read(const pack_range& at, const T* from, pack_values& v) {
    if (Whole || is_whole<width>(from, at.left)) {
      const block<T, width> every = *reinterpret_cast<const block<T, width>*>(from);
      for (int lane = 0; lane < width; ++lane) get<K>(v[lane]) = every.item[lane];
    } else {
      for (int lane = 0; lane < width; ++lane) get<K>(v[lane]) = lane < at.left ? from[lane] : T{};
    }
  }
  template <int K, class T>
  static KROTON_DEVICE void write(const pack_range& at, T* to, const pack_values& v, const row_values& rows) {
    if (is_whole<width>(to, at.left)) {
      block<T, width> every;
      for (int lane = 0; lane < width; ++lane) every.item[lane] = static_cast<T>(operand<K>(v[lane], rows));
      *reinterpret_cast<block<T, width>*>(to) = every;
    } else {
      for (int lane = 0; lane < width; ++lane)
        if (lane < at.left) to[lane] = static_cast<T>(operand<K>(v[lane], rows));
    }
  }

  template <int K, int Phase, bool Kept, bool Whole, int A, class T, stride_class S>
  static KROTON_DEVICE void load_one(kernel::load<A, T, S, false>, const pack_range& at, pack_values& v) {
    if constexpr (due<K, Phase, Kept>) {
      const std::byte* const base = at.from.at[A];
      if constexpr (S == stride_class::unit) {
        read<K, Whole, T>(at, reinterpret_cast<const T*>(base) + at.i, v);
      } else {
        const std::int64_t stride = S == stride_class::zero ? 0 : at.all.operands[A].inner;
        for (int lane = 0; lane < width; ++lane)
          get<K>(v[lane]) = lane < at.left ? *reinterpret_cast<const T*>(base + (at.i + lane) * stride) : T{};
      }
    }
  }
  template <int K, int Phase, bool Kept, bool Whole, class Other>
  static KROTON_DEVICE void load_one(Other, const pack_range&, pack_values&) {}

  template <int K, int Phase, bool Kept, int A, class T, stride_class S>
  static KROTON_DEVICE void step(kernel::index<A, T, S, false>, const pack_range& at, pack_values& v, const row_values&,
                                 parts*) {
    if constexpr (due<K, Phase, Kept>) {
      const std::int64_t stride = S == stride_class::zero ? 0 : at.all.operands[A].inner,
                         first = reinterpret_cast<std::intptr_t>(at.from.at[A]);
      for (int lane = 0; lane < width; ++lane) get<K>(v[lane]) = static_cast<T>(first + (at.i + lane) * stride);
    }
  }
  template <int K, int Phase, bool Kept, class Op, class T, int... O>
  static KROTON_DEVICE void step(kernel::apply<Op, T, false, O...>, [[maybe_unused]] const pack_range& at,
                                 pack_values& v, const row_values& rows, parts*) {
    if constexpr (due<K, Phase, Kept>) {
      // an expensive value that would be computed again is kept in an output until the output is written
      constexpr int kept_in = Kept ? -1 : plan::when.kept_in[K];
      if constexpr (kept_in >= 0 && Phase > plan::when.phase[K]) {
        read<K, false, T>(at, reinterpret_cast<const T*>(at.from.at[kept_in]) + at.i, v);
      } else {
        if constexpr (draws_neighbours<Op, instruction<O>...>) draw<K, Op, T, O...>(v, rows);
        else
          for (int lane = 0; lane < width; ++lane)
            get<K>(v[lane]) = static_cast<T>(applied<Op>::to(operand<O>(v[lane], rows)...));
        if constexpr (kept_in >= 0 && Phase == plan::when.phase[K])
          write<K, T>(at, reinterpret_cast<T*>(at.from.at[kept_in]) + at.i, v, rows);
      }
    }
  }
  /// Random bits of neighbouring elements; the first operand is their positions.
  template <int K, class Op, class T, int Position, int... State>
  static KROTON_DEVICE void draw(pack_values& v, const row_values& rows) {
    T bits[width];
    Op::apply_to_lanes(operand<Position>(v[0], rows), operand<State>(v[0], rows)..., bits);
    for (int lane = 0; lane < width; ++lane) get<K>(v[lane]) = bits[lane];
  }
  template <int K, int Phase, bool Kept, class T, int O>
  static KROTON_DEVICE void step(kernel::convert<T, false, O>, const pack_range&, pack_values& v,
                                 const row_values& rows, parts*) {
    if constexpr (due<K, Phase, Kept>)
      for (int lane = 0; lane < width; ++lane) get<K>(v[lane]) = converted<T>(operand<O>(v[lane], rows));
  }
  template <int K, int Phase, bool Kept, int A, class T, stride_class S, int O>
  static KROTON_DEVICE void step(kernel::store<A, T, S, false, O>, const pack_range& at, pack_values& v,
                                 const row_values& rows, parts*) {
    if constexpr (due<K, Phase, Kept>) {
      std::byte* const base = at.from.at[A];
      if constexpr (S == stride_class::unit) {
        write<O, T>(at, reinterpret_cast<T*>(base) + at.i, v, rows);
      } else {
        const std::int64_t stride = S == stride_class::zero ? 0 : at.all.operands[A].inner;
        for (int lane = 0; lane < width; ++lane)
          if (lane < at.left)
            *reinterpret_cast<T*>(base + (at.i + lane) * stride) = static_cast<T>(operand<O>(v[lane], rows));
      }
    }
  }
  template <int K, int Phase, bool Kept, class Op, class T, int O>
  static KROTON_DEVICE void step(kernel::reduce<Op, T, O>, const pack_range& at, pack_values& v, const row_values& rows,
                                 parts* sums) {
    if constexpr (is_reduced_in<K, Phase>)
      for (int lane = 0; lane < width; ++lane)
        if (lane < at.left) {
          if constexpr (Kind == step_kind::over_columns)
            add<K, Op, T>(sums[lane], operand<O>(v[lane], rows), at.position);
          else add<K, Op, T>(*sums, operand<O>(v[lane], rows), at.position + lane);
        }
  }
  template <int K, class Op, class T, class From>
  static KROTON_DEVICE void add(parts& sums, From x, std::int64_t position) {
    if constexpr (finds_position<Op>) get<K>(sums).add(x, position);
    else get<K>(sums).add(converted<T>(x));
  }
  template <int K, int Phase, bool Kept, class Other>
  static KROTON_DEVICE void step(Other, const pack_range&, pack_values&, const row_values&, parts*) {}
};

}  // namespace kroton::runtime::on_device
