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
/// How many elements share what an instruction draws; 1 if it draws nothing.
template <class Instruction>
inline constexpr int drawn_together = 1;
template <class Op, class T, int... O>
  requires requires { Op::drawn_together; }
inline constexpr int drawn_together<kernel::apply<Op, T, false, O...>> = Op::drawn_together;

/// Whether an instruction that loop `p` or a later one evaluates first reads the value of an element.
template <class Plan>
constexpr bool is_read_from(int p, int value) {
  for (int k = 0; k < Plan::count; ++k) {
    const kernel::instruction_info& x = Plan::info[k];
    const int at = x.kind == instruction_kind::reduce ? Plan::when.phase[k] - 1 : Plan::when.first(k);
    for (int j = 0; at >= p && j < kernel::most_operands; ++j)
      if (x.operand[j] == value) return true;
  }
  return false;
}
/// The bytes that elements::kept_bytes has. `bytes`: of each instruction's value.
template <class Plan>
constexpr int most_kept_bytes(const plain_array<int, Plan::count>& bytes) {
  int most = 0;
  for (int p = 1; p < Plan::when.phases; ++p) {
    int all = 0;
    for (int k = 0; k < Plan::count; ++k)
      if (const int first = Plan::when.first(k);
          !Plan::info[k].reduced && first >= 0 && first < p && is_read_from<Plan>(p, k))
        all += std::max(4, bytes[k]);  // a register has 4
    most = std::max(most, all);
  }
  return most;
}

/// `Width`: the neighbouring elements that a thread takes at a time. 0: as many of the widest elements as fit into 16
/// bytes, which are moved at once. A thread of a map takes no other pack, so that it takes twice as many where it loads
/// little, to wait for more of the memory at a time; and all that share what is drawn.
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

  /// The loads of elements side by side.
  static constexpr int loads =
      (0 + ... + (kernel::instruction_traits<I>::info.kind == instruction_kind::load && access_of_elements<I> >= 0));
  static constexpr int width = [] {
    constexpr int moved = 16 / std::max({2, bytes_of<I>...});
    if (Width > 0) return Width;
    return Kind == step_kind::map ? std::max({moved, loads <= 2 ? std::min(2 * moved, 8) : 0, drawn_together<I>...})
                                  : moved;
  }();

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
  /// A row has its own values, and a divisor for each instruction that divides floats by one of them.
  template <class J>
  struct row_slot {
    using type = std::conditional_t<kernel::instruction_traits<J>::info.reduced,
                                    typename kernel::instruction_traits<J>::type, nothing>;
  };
  template <int X, int D>
  struct row_slot<kernel::apply<ops::div, float, false, X, D>> {
    using type = std::conditional_t<Kind == step_kind::over_rows && info(D).reduced && !info(X).reduced, shared_divisor,
                                    nothing>;
  };
  template <int K>
  static constexpr bool divides_by_row = std::same_as<typename row_slot<instruction<K>>::type, shared_divisor>;
  using values = kernel::slots<sequence, element_slot<I>...>;
  using pack_values = plain_array<values, width>;
  using row_values = kernel::slots<sequence, typename row_slot<I>::type...>;
  using parts = kernel::slots<sequence, typename part_of<I>::type...>;

  /// The most bytes of registers that the values of an element take from one loop over a row to a later one.
  static constexpr int kept_bytes = most_kept_bytes<plan>(
      plain_array<int, count>{static_cast<int>(sizeof(typename kernel::instruction_traits<I>::type))...});

  /// A thread's elements [i, i + left) of a line.
  struct pack_range {
    const loops& all;
    const cursor& from;
    std::int64_t i;
    int left;
    std::int64_t position;  ///< of element i among the reduced elements; in a kernel of columns, of the whole range
    bool is_whole = false;  ///< see has_whole_packs
  };
  /// Pack `pack` of a line. `first`: the number of reduced elements before the line.
  static KROTON_DEVICE pack_range range_of(const loops& l, const cursor& line, std::int64_t pack, std::int64_t first) {
    const std::int64_t i = pack * width, left = l.space.inner - i;
    return {l, line, i, left < width ? static_cast<int>(left) : width, first + i};
  }
  /// Whether every pack has its full width, and can be loaded and stored at once. It is the same for all threads, so
  /// that a thread looks at no single element.
  static KROTON_DEVICE bool has_whole_packs(const loops& l) { return l.alignment == 16 && l.space.inner % width == 0; }
  /// The number of packs that a thread loads before it uses the first, so that it waits for memory once and not for
  /// each pack. Loaded packs take registers.
  static constexpr int loaded_together = loads <= 2 ? 4 : loads <= 4 ? 2 : 1;
  /// Loads the elements that loop `Phase` needs. `Kept`: the values that earlier loops needed are still in `v`; else
  /// they are computed again. `Whole`: all packs are whole (has_whole_packs), which kernels of
  /// columns and of all elements ask once for several packs: with `is_whole` of each range they take more registers.
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
  static constexpr bool due = Kept ? !info(K).reduced && plan::when.first(K) == Phase : plan::when.needed[Phase][K];
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
    constexpr int size = moved_at_once<T, width>;
    for (int first = 0; first < width; first += size)
      if (Whole || at.is_whole || can_move<size>(from + first, at.left - first)) {
        const block<T, size> every = *reinterpret_cast<const block<T, size>*>(from + first);
        for (int lane = 0; lane < size; ++lane) get<K>(v[first + lane]) = every.item[lane];
      } else {
        for (int lane = first; lane < first + size; ++lane) get<K>(v[lane]) = lane < at.left ? from[lane] : T{};
      }
  }
  template <int K, class T>
  static KROTON_DEVICE void write(const pack_range& at, T* to, const pack_values& v, const row_values& rows) {
    constexpr int size = moved_at_once<T, width>;
    for (int first = 0; first < width; first += size)
      if (at.is_whole || can_move<size>(to + first, at.left - first)) {
        block<T, size> every;
        for (int lane = 0; lane < size; ++lane) every.item[lane] = static_cast<T>(operand<K>(v[first + lane], rows));
        *reinterpret_cast<block<T, size>*>(to + first) = every;
      } else {
        for (int lane = first; lane < first + size; ++lane)
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
        else if constexpr (divides_by_row<K>) divide<K, O...>(v, rows);
        else
          for (int lane = 0; lane < width; ++lane)
            get<K>(v[lane]) = static_cast<T>(applied<Op>::to(operand<O>(v[lane], rows)...));
        if constexpr (kept_in >= 0 && Phase == plan::when.phase[K])
          write<K, T>(at, reinterpret_cast<T*>(at.from.at[kept_in]) + at.i, v, rows);
      }
    }
  }
  template <int K, int X, int D>
  static KROTON_DEVICE void divide(pack_values& v, const row_values& rows) {
    for (int lane = 0; lane < width; ++lane) get<K>(v[lane]) = get<X>(v[lane]) / get<K>(rows);
  }
  /// Random bits of neighbouring elements; the first operand is their positions.
  template <int K, class Op, class T, int Position, int... State>
  static KROTON_DEVICE void draw(pack_values& v, const row_values& rows) {
    plain_array<T, width> bits;
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
    if constexpr (is_reduced_in<K, Phase>) {
      if (at.is_whole) {
        for (int lane = 0; lane < width; ++lane) add_lane<K, Op, T, O>(at, lane, v, rows, sums);
      } else {
        for (int lane = 0; lane < width; ++lane)
          if (lane < at.left) add_lane<K, Op, T, O>(at, lane, v, rows, sums);
      }
    }
  }
  template <int K, class Op, class T, int O>
  static KROTON_DEVICE void add_lane(const pack_range& at, int lane, const pack_values& v, const row_values& rows,
                                     parts* sums) {
    if constexpr (Kind == step_kind::over_columns) add<K, Op, T>(sums[lane], operand<O>(v[lane], rows), at.position);
    else add<K, Op, T>(*sums, operand<O>(v[lane], rows), at.position + lane);
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
