// This header launches fused kernels on a device. By the extents of a call, it chooses the number of threads and the
// form of the kernel.
//
//     a sum over rows of 64 floats, 4096 rows  ->  launch.groups<few>(4096, row_task), eight threads for each row
#pragma once

#include <kroton/runtime/device/bodies.hpp>
#include <kroton/runtime/device/row_forms.hpp>
#include <kroton/runtime/device/transform.hpp>

namespace kroton::runtime::on_device {

/// The groups of threads that keep a large GPU busy. If a reduction has fewer, it is divided into parts.
inline constexpr std::int64_t busy_groups = 512;

/// The blocks of a task that a multiprocessor is to hold at a time, which decides how many registers a thread has.
template <class Task>
inline constexpr int blocks_at_a_time = 2;

// The kernels of a launch with their arguments. They are types at namespace scope, because nvcc needs such types as
// template arguments of kernels.
template <class Fused>
struct map_task {
  typename elements<Fused>::loops loops;
  KROTON_DEVICE void operator()(std::int64_t pack) const { map_body<Fused>::run(loops, pack); }
};
/// A joined map of at most `Most` segments, whose packs have numbers one after the other.
template <class Fused, int Most>
struct segments_task {
  using at = elements<Fused>;
  typename at::loops loops;  ///< of the first segment
  int segments = 0;
  plain_array<std::int64_t, Most> past = {};   ///< the packs of each segment and of those before it
  plain_array<std::int64_t, Most> count = {};  ///< elements of each segment
  plain_array<typename at::cursor, Most> start = {};

  KROTON_DEVICE void operator()(std::int64_t pack) const {
    int s = 0;
    for (int last = segments - 1; s < last;) {  // the first segment that ends after the pack
      const int middle = (s + last) / 2;
      if (pack < past[middle]) last = middle;
      else s = middle + 1;
    }
    const std::int64_t before = s == 0 ? 0 : past[s - 1];
    map_body<Fused>::run(loops, start[s], (pack - before) * at::width, count[s]);
  }
};
template <class Fused, class Group, int Packs>
struct row_task {
  typename elements<Fused>::loops loops;
  KROTON_DEVICE void operator()(Group& group, std::int64_t row) const {
    row_body<Fused, Group, Packs>::run(group, loops, row);
  }
};
template <class Fused, class Group, int Packs>
inline constexpr int blocks_at_a_time<row_task<Fused, Group, Packs>> =
    elements<Fused>::kept_bytes* Packs <= 128 ? 4 : 2;
template <class Fused, class Group>
struct column_task {
  using body = column_body<Fused, Group>;
  typename elements<Fused>::loops loops;
  column_tiles by;
  typename body::part* partial;
  KROTON_DEVICE void operator()(Group& group, std::int64_t index) const {
    const std::int64_t tile = index % by.tiles, rest = index / by.tiles;
    body::run(group, loops, rest % loops.space.rows, tile, rest / loops.space.rows, by, partial);
  }
};
template <class Fused, class Group>
struct column_combination {
  using body = column_body<Fused, Group>;
  typename elements<Fused>::loops loops;
  std::int64_t tiles;
  division lines;
  const typename body::part* partial;
  KROTON_DEVICE void operator()(Group& group, std::int64_t index) const {
    body::combine(group, loops, index / tiles, index % tiles, lines, partial);
  }
};
template <class Fused, class Group>
struct column_end {
  typename elements<Fused>::loops loops;
  const float* sums;
  KROTON_DEVICE void operator()(std::int64_t column) const { column_body<Fused, Group>::finish(loops, column, sums); }
};
template <class Fused, class Group>
struct full_task {
  using body = full_body<Fused, Group>;
  typename elements<Fused>::loops loops;
  division packs;
  typename body::part* partial;
  KROTON_DEVICE void operator()(Group& group, std::int64_t part) const {
    body::run(group, loops, part, packs, partial);
  }
};
template <class Fused, class Group>
struct full_combination {
  using body = full_body<Fused, Group>;
  typename elements<Fused>::loops loops;
  division packs;
  const typename body::part* partial;
  KROTON_DEVICE void operator()(Group& group, std::int64_t) const { body::combine(group, loops, packs, partial); }
};

/// Launches a fused kernel. `Launch` starts tasks: `threads(count, task)` calls a task for each number below `count`,
/// with a thread each, and `groups<Group>(count, task)` with a `Launch::few`, `warp`, `half_block` or `block` each;
/// `transform(count, function, result, arguments...)` calls a function of elements.
template <class Fused, class Launch>
class fused_launch {
  using at = elements<Fused>;
  using loops = typename at::loops;
  using few = typename Launch::few;
  using warp = typename Launch::warp;
  using half_block = typename Launch::half_block;
  using block = typename Launch::block;
  static constexpr std::int64_t width = at::width;
  static std::int64_t packs_in(std::int64_t inner) { return (inner + width - 1) / width; }
  static std::int64_t quotient_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

 public:
  static constexpr int accesses = loops::accesses;

  /// Bytes of memory that the launch needs for results of parts. All divisions depend on extents alone, so that results
  /// are the same on every device.
  static std::int64_t workspace(const nest& n) {
    if constexpr (at::kind == step_kind::over_columns) {
      const std::int64_t parts = divided_columns(n).lines.parts;
      return parts > 1 ? parts * n.rows * n.inner * static_cast<std::int64_t>(sizeof(typename at::parts)) : 0;
    } else if constexpr (at::kind == step_kind::full) {
      const division packs = divided_packs(n);
      return packs.parts > 1 ? packs.parts * static_cast<std::int64_t>(sizeof(typename at::parts)) : 0;
    } else {
      return 0;
    }
  }

  /// Starts the kernel. `RowForms`: the forms of a kernel of rows that are compiled, see row_forms_of.
  template <row_form RowForms>
  static void run(const Launch& launch, const nest& n, void* workspace) {
    const loops l(n);
    if constexpr (at::kind == step_kind::map) {
      using function = element_function<Fused>;
      if constexpr (function::is_there)
        if (function::fits(n)) return function(n).run(launch);
      launch.threads(map_body<Fused>::packs(n), map_task<Fused>{l});
    } else if constexpr (at::kind == step_kind::over_rows) {
      run_rows<RowForms>(launch, n, l);
    } else if constexpr (at::kind == step_kind::over_columns) {
      using body = column_body<Fused, block>;
      const column_tiles by = divided_columns(n);
      auto* const partial = static_cast<typename at::parts*>(workspace);
      launch.template groups<block>(by.tiles * n.rows * by.lines.parts, column_task<Fused, block>{l, by, partial});
      if (by.lines.parts > 1) {
        const std::int64_t tiles = quotient_up(n.inner, body::combined);
        launch.template groups<block>(tiles * n.rows, column_combination<Fused, block>{l, tiles, by.lines, partial});
      }
    } else {
      const division packs = divided_packs(n);
      auto* const partial = static_cast<typename at::parts*>(workspace);
      launch.template groups<block>(packs.parts, full_task<Fused, block>{l, packs, partial});
      if (packs.parts > 1) launch.template groups<block>(1, full_combination<Fused, block>{l, packs, partial});
    }
  }
  /// Starts a joined map of at most `Most` segments. `count`: the elements of each.
  template <int Most>
  static void run_segments(const Launch& launch, nest n, const std::int64_t* count, int segments) {
    using task = segments_task<Fused, Most>;
    static_assert(sizeof(task) <= 32764);  // see passes::most_segments
    n.inner = count[0];
    task every{loops(n), segments};
    std::int64_t packs = 0;
    for (int s = 0; s < segments; ++s) {
      packs += quotient_up(count[s], width);
      every.past[s] = packs;
      every.count[s] = count[s];
      for (int a = 0; a < accesses; ++a) every.start[s].at[a] = n.operands[s * accesses + a].start;
    }
    launch.threads(packs, every);
  }
  /// Does the work that remains when a product has summed the columns.
  static void finish(const Launch& launch, const nest& n, const std::byte* sums) {
    launch.threads(n.inner, column_end<Fused, block>{loops(n), reinterpret_cast<const float*>(sums)});
  }

 private:
  template <row_form Forms>
  static void run_rows(const Launch& launch, const nest& n, const loops& l) {
    const row_form form = row_form_of<Launch>(n.middles, packs_in(n.inner));
    if constexpr (has(Forms, row_form::few))
      if (form == row_form::few) return launch.template groups<few>(n.rows, row_task<Fused, few, packs_kept_by_few>{l});
    if constexpr (has(Forms, row_form::warp))
      if (form == row_form::warp) return launch.template groups<warp>(n.rows, row_task<Fused, warp, packs_kept>{l});
    if constexpr (has(Forms, row_form::half_block))
      if (form == row_form::half_block)
        return launch.template groups<half_block>(n.rows, row_task<Fused, half_block, packs_kept>{l});
    if constexpr (has(Forms, row_form::block))
      if (form == row_form::block) return launch.template groups<block>(n.rows, row_task<Fused, block, packs_kept>{l});
    if constexpr (has(Forms, row_form::lines)) launch.template groups<block>(n.rows, row_task<Fused, block, 0>{l});
  }
  /// Columns that are narrow, or few, leave threads to the lines, as long as each has more lines than it loads at a
  /// time.
  static column_tiles divided_columns(const nest& n) {
    int log_across = 5;
    while (log_across > 0 && (width << log_across) / 2 >= n.inner) --log_across;
    column_tiles by = divided_columns(n, log_across);
    while (log_across > 3 && by.tiles * n.rows * by.lines.parts < busy_groups / 4 &&
           n.middles << log_across > at::loaded_together * block::size)
      by = divided_columns(n, --log_across);
    return by;
  }
  static column_tiles divided_columns(const nest& n, int log_across) {
    const std::int64_t tiles = quotient_up(n.inner, width << log_across),
                       groups = std::max<std::int64_t>(1, tiles * n.rows), least = (block::size >> log_across) * 16;
    const std::int64_t wanted =
        std::clamp<std::int64_t>(quotient_up(busy_groups, groups), 1, std::max<std::int64_t>(1, n.middles / least));
    const std::int64_t each = quotient_up(n.middles, wanted);
    return {log_across, tiles, {each > 0 ? quotient_up(n.middles, each) : 1, each}};
  }
  static division divided_packs(const nest& n) {
    constexpr std::int64_t least = block::size * 8;
    const std::int64_t packs = full_body<Fused, block>::packs(n),
                       wanted = std::clamp<std::int64_t>(packs / least, 1, 8 * busy_groups);
    const std::int64_t each = quotient_up(packs, wanted);
    return {each > 0 ? quotient_up(packs, each) : 1, each};
  }
};

}  // namespace kroton::runtime::on_device
