// This header has the types of the values that a fused kernel on the host holds for its instructions: a pack of
// elements, a value of a row, or the part of a reduction; and how it uses the caches.
//
//     load -> pack of floats;  max over the row -> a part in lanes while it is collected, then one float
#pragma once

#include <kroton/kernel/schedule.hpp>
#include <kroton/arithmetic/simd/philox.hpp>
#include <kroton/arithmetic/simd/simd.hpp>
#include <kroton/kernel/slots.hpp>
#include <kroton/runtime/host/accumulate.hpp>

#include <algorithm>

namespace kroton::runtime::on_host {

using kernel::nothing;
using kernel::slots;

/// How a map uses the caches.
struct cache_use {
  bool streams = false;    ///< whether stores of whole packs go around the caches
  std::int64_t ahead = 0;  ///< bytes from what it loads to what it prefetches
};

/// The lanes of the largest pack.
inline constexpr int most_lanes = 64;

/// The types of a fused kernel on the host, and facts of its schedule. Its packs have at most `MostLanes` lanes.
template <class Fused, int MostLanes = most_lanes>
struct kernel_types;

template <step_kind Kind, class... I, int MostLanes>
struct kernel_types<kernel::fused<Kind, I...>, MostLanes> {
  using plan = kernel::plan_of<kernel::fused<Kind, I...>>;
  static constexpr int count = sizeof...(I);
  using sequence = std::make_integer_sequence<int, count>;
  static constexpr int accesses = plan::when.accesses;
  static constexpr int phases = plan::when.phases;
  /// In a column kernel a reduced value has an element for each column, so it is held in lanes too.
  static constexpr bool reduced_lanes = Kind == step_kind::over_columns;

  template <int K>
  using instruction = decltype(kernel::at<K>(std::declval<kernel::numbered_list<sequence, I...>>()));
  template <int K>
  using type = typename kernel::instruction_traits<instruction<K>>::type;
  static constexpr kernel::instruction_info info(int k) { return plan::info[k]; }
  /// Whether a map prefetches its operands. Processors follow three or more streams better by themselves.
  static constexpr bool prefetches = [] {
    const auto is_stream = [](const kernel::instruction_info& i) {
      return i.kind == instruction_kind::load && i.stride == stride_class::unit && !i.reduced;
    };
    return Kind == step_kind::map && (0 + ... + is_stream(kernel::instruction_traits<I>::info)) <= 2;
  }();

  /// Bytes of what an instruction holds for each element. Positions, and values of whole rows, which are numbers, take
  /// no part in choosing the width.
  template <class J>
  static constexpr int bytes_of = [] {
    using T = typename kernel::instruction_traits<J>::type;
    constexpr kernel::instruction_info i = kernel::instruction_traits<J>::info;
    if (i.kind == instruction_kind::index || (i.kind == instruction_kind::load && i.stride == stride_class::zero) ||
        (i.reduced && i.kind != instruction_kind::reduce))
      return 1;
    return std::is_same_v<T, bool> ? 1 : static_cast<int>(sizeof(T));
  }();
  static constexpr int bytes = std::max({4, bytes_of<I>...});
  /// Elements that are evaluated together.
  static constexpr int width = std::clamp(simd::native_bytes / bytes, 1, MostLanes);
  template <class T>
  using lanes = typename lanes_of<T, width, bytes>::type;

  template <class J>
  using element_slot = std::conditional_t<kernel::instruction_traits<J>::info.reduced, nothing,
                                          lanes<typename kernel::instruction_traits<J>::type>>;
  template <class J>
  using row_slot =
      std::conditional_t<!kernel::instruction_traits<J>::info.reduced, nothing,
                         std::conditional_t<reduced_lanes, lanes<typename kernel::instruction_traits<J>::type>,
                                            typename kernel::instruction_traits<J>::type>>;

  /// The types of a reduction: a part collects elements, and a total collects parts.
  template <class J>
  struct reducer {
    using part = nothing;
    using total = nothing;
  };
  template <class Op, class T, int O>
  struct reducer<kernel::reduce<Op, T, O>> {
    using position = lane_positions<Op, lanes<kernel_types::type<O>>, lanes<T>>;
    using part = std::conditional_t<finds_position<Op>, position, lane_part<Op, lanes<T>>>;
    using total = std::conditional_t<finds_position<Op>, position, cascade<Op, T, lanes<T>>>;
  };

  /// What an instruction that draws keeps for its next packs.
  template <class J>
  struct drawing {
    using type = nothing;
  };
  template <class Op, class T, bool R, int... O>
    requires requires { Op::draws; }
  struct drawing<kernel::apply<Op, T, R, O...>> {
    using type = typename Op::drawn;
  };
  using draws = slots<sequence, typename drawing<I>::type...>;

  using element_values = slots<sequence, element_slot<I>...>;
  using row_values = slots<sequence, row_slot<I>...>;
  using parts = slots<sequence, typename reducer<I>::part...>;
  using totals = slots<sequence, typename reducer<I>::total...>;

  /// The work of loop `Phase`: the plan's selections as sequences of numbers. A function that gets such a sequence has
  /// no code for other instructions.
  template <int Phase>
  class loop {
    using chosen = kernel::selection<count>;
    static constexpr chosen evaluated_list = plan::evaluated(Phase), reduced_list = plan::reductions(Phase),
                            due_list = plan::due(Phase);
    template <const chosen& List, int... J>
    static std::integer_sequence<int, List.of[J]...> numbers(std::integer_sequence<int, J...>);  // declared for its
                                                                                                 // type alone

   public:
    using evaluated = decltype(numbers<evaluated_list>(std::make_integer_sequence<int, evaluated_list.size>()));
    using reductions = decltype(numbers<reduced_list>(std::make_integer_sequence<int, reduced_list.size>()));
    using due = decltype(numbers<due_list>(std::make_integer_sequence<int, due_list.size>()));
    static constexpr bool reduces = reduced_list.size > 0;
  };

  /// Adds the parts `p`, which a loop has collected for its reductions `K`, to the totals `t`.
  template <int... K>
  KROTON_INLINE static void collect(std::integer_sequence<int, K...>, totals& t, const parts& p) {
    (kernel::get<K>(t).collect(kernel::get<K>(p)), ...);
  }
  /// The total of `t` as one part.
  template <int... K>
  KROTON_INLINE static parts part_of(std::integer_sequence<int, K...>, const totals& t) {
    parts p;
    ((kernel::get<K>(p) = kernel::get<K>(t).part()), ...);
    return p;
  }
  /// Adds the parts or totals `later` to `t`.
  template <class Slots, int... K>
  KROTON_INLINE static void merge(std::integer_sequence<int, K...>, Slots& t, const Slots& later) {
    (kernel::get<K>(t).merge(kernel::get<K>(later)), ...);
  }

  /// The cost of an element in loop `phase`.
  static constexpr int cost(int phase) {
    int sum = 0;
    for (int k = 0; k < count; ++k) {
      const bool kept = plan::when.kept_in[k] >= 0 && phase > plan::when.phase[k];  // then the value is only read again
      if (plan::when.needed[phase][k]) sum += kept ? 1 : info(k).cost + 1;
    }
    return sum;
  }
  /// The cost up to which a loop waits for memory and for its own results rather than for its arithmetic.
  static constexpr int cheap = 12;
  static constexpr int loads(int phase) {
    int sum = 0;
    for (int k = 0; k < count; ++k) sum += plan::when.needed[phase][k] && info(k).kind == instruction_kind::load;
    return sum;
  }
};

}  // namespace kroton::runtime::on_host
