// This header has the bodies of fused kernels, each of which a group of threads runs together. A body is written once,
// over a group: its threads call `each`, in which a thread sees its own state alone, and combine their states between
// two calls. A group is a block or a warp of a GPU; in tests it is a loop on the host.
//
//     softmax of a row, a warp  ->  each: the largest of own elements; combine; each: exp and sum; combine; each: store
#pragma once

#include <kroton/runtime/device/row_values.hpp>

namespace kroton::runtime::on_device {

/// Packs that a thread adds up before it folds its sums.
inline constexpr std::int64_t packs_in_fold = 64;

/// One thread takes `width` elements of a row.
template <class Fused>
struct map_body {
  using at = elements<Fused>;
  using loops = typename at::loops;
  /// The number of packs, each of which is the work of a thread.
  static std::int64_t packs(const nest& n) { return n.rows * ((n.inner + at::width - 1) / at::width); }

  static KROTON_DEVICE void run(const loops& l, std::int64_t pack) {
    const std::int64_t in_row = (l.space.inner + at::width - 1) / at::width;
    std::int64_t row = 0, in = pack;
    if (l.space.rows > 1) {
      const row_position found(pack, in_row);
      row = found.row;
      in = found.column;
    }
    run(l, l.row(row), in * at::width, l.space.inner);
  }
  /// Takes the elements from `i` on of the `count` elements that begin at `start`.
  static KROTON_DEVICE void run(const loops& l, const typename at::cursor& start, std::int64_t i, std::int64_t count) {
    const std::int64_t left = count - i;
    typename at::row_values values;
    typename at::parts none;
    row_evaluator<at>::template rows<0>(l, start, 0, i == 0, values, none);
    if constexpr (at::phases > 0) {
      typename at::pack_values v;
      at::template evaluate<0, true>({l, start, i, left < at::width ? static_cast<int>(left) : at::width, 0}, v, values,
                                     &none);
    }
  }
};

/// A group takes a row of a kernel that reduces rows. A thread keeps `Packs` packs of the row in registers, so that
/// they are read and computed once. If `Packs` is 0, a thread has any number of packs, and reads them again for each
/// reduction.
template <class Fused, class Group, int Packs>
class row_body {
  using at = elements<Fused>;
  using loops = typename at::loops;
  static constexpr int width = at::width;
  static constexpr bool keeps = Packs > 0;
  struct state {
    plain_array<typename at::pack_values, keeps ? Packs : 1> kept;
    typename at::row_values rows;
    typename at::parts sums;
  };
  using states = typename Group::template locals<state>;

 public:
  static KROTON_DEVICE void run(Group& group, const loops& l, std::int64_t row) {
    states every(group);
    run_phase<0>(group, l, l.row(row), every);
  }

 private:
  template <int Phase>
  static KROTON_DEVICE void run_phase(Group& group, const loops& l, const typename at::cursor& start, states& every) {
    group.each(every, [&](int thread, state& s) {
      row_evaluator<at>::template rows<Phase>(l, start, 0, thread == 0, s.rows, s.sums);
      if constexpr (Phase < at::phases) {
        s.sums = typename at::parts();
        visit<Phase>(l, start, thread, s);
      }
    });
    if constexpr (Phase < at::phases) {
      if constexpr (at::template reduces<Phase>)
        group.all_reduce(
            every, [](state& s) -> typename at::parts& { return s.sums; },
            [](typename at::parts& x, const typename at::parts& y) { at::template merge<Phase>(x, y); });
      run_phase<Phase + 1>(group, l, start, every);
    }
  }
  /// Visits the packs of a thread: every `Group::size`th pack.
  template <int Phase>
  static KROTON_DEVICE void visit(const loops& l, const typename at::cursor& start, int thread, state& s) {
    if constexpr (keeps) {  // the row is one line, and short
      const bool is_whole = at::has_whole_packs(l);
      const int length = static_cast<int>(l.space.inner);
      const auto first = [&](int k) { return (thread + k * Group::size) * width; };
      const auto range = [&](int k) -> typename at::pack_range {
        const int left = length - first(k);
        return {l, start, first(k), left < width ? left : width, first(k), is_whole};
      };
      if constexpr (Phase == 0) {  // all packs, before the thread uses the first
        KROTON_UNROLL
        for (int k = 0; k < Packs; ++k)
          if (first(k) < length) at::template load<Phase, true>(range(k), s.kept[k]);
      }
      KROTON_UNROLL  // else the kept packs are not in registers
          for (int k = 0; k < Packs; ++k) if (first(k) < length) {
        if constexpr (Phase > 0) at::template load<Phase, true>(range(k), s.kept[k]);
        at::template compute<Phase, true>(range(k), s.kept[k], s.rows, &s.sums);
      }
    } else {
      const std::int64_t in_line = (l.space.inner + width - 1) / width;
      std::int64_t line = 0, pack = thread, count = 0;
      for (; pack >= in_line && in_line > 0 && line < l.space.middles; ++line) pack -= in_line;
      while (line < l.space.middles && in_line > 0) {
        const typename at::cursor here = l.space.middles > 1 ? l.line(start, line) : start;
        at::template evaluate<Phase, false>(at::range_of(l, here, pack, line * l.space.inner), s.kept[0], s.rows,
                                            &s.sums);
        if (++count % packs_in_fold == 0) at::template fold<Phase>(s.sums);
        for (pack += Group::size; pack >= in_line && line < l.space.middles; ++line) pack -= in_line;
      }
    }
  }
};

/// The division of a reduction into parts, whose results another kernel combines. Part p has `per_part` lines, or
/// packs, from p * per_part on.
struct division {
  std::int64_t parts = 1, per_part = 0;
};

/// How a kernel of columns is divided among groups. In a group, `across()` threads stand side by side along the columns
/// of a tile, and the lines of a part are divided among the rows of threads.
struct column_tiles {
  int log_across = 0;
  std::int64_t tiles = 1;
  division lines;
  KROTON_DEVICE int across() const { return 1 << log_across; }
};

/// A group takes a tile of columns and some of the lines that are reduced.
template <class Fused, class Group>
class column_body {
  using at = elements<Fused>;
  using loops = typename at::loops;
  static constexpr int width = at::width, together = at::loaded_together;
  struct state {
    plain_array<typename at::parts, width> sums;
  };
  using states = typename Group::template locals<state>;

 public:
  using part = typename at::parts;

  /// Reduces the columns from tile * across() * width on, of row `row` of the kernel, over the lines of part `p`.
  /// Writes the results if there is one part. If there are several, it writes the reduced part to `partial`, in the
  /// order [part][row][column].
  static KROTON_DEVICE void run(Group& group, const loops& l, std::int64_t row, std::int64_t tile, std::int64_t p,
                                const column_tiles& by, part* partial) {
    const typename at::cursor start = l.row(row);
    states every(group);
    const std::int64_t from = p * by.lines.per_part,
                       to = from + by.lines.per_part < l.space.middles ? from + by.lines.per_part : l.space.middles;
    const auto first_of = [&](int thread) { return ((tile << by.log_across) + (thread & (by.across() - 1))) * width; };
    group.each(every, [&](int thread, state& s) {
      reduce(l, start, first_of(thread), from + (thread >> by.log_across), to, Group::size >> by.log_across, s);
    });
    group.reduce_depth(every, by.across(), [](state& x, const state& y) {
      for (int lane = 0; lane < width; ++lane) at::template merge<0>(x.sums[lane], y.sums[lane]);
    });
    group.each(every, [&](int thread, state& s) {
      if (thread >= by.across()) return;
      for (int lane = 0; lane < width; ++lane) {
        const std::int64_t i = first_of(thread) + lane;
        if (i >= l.space.inner) return;
        if (by.lines.parts > 1) partial[(p * l.space.rows + row) * l.space.inner + i] = s.sums[lane];
        else finish(l, start, i, s.sums[lane]);
      }
    });
  }
  /// The columns of which a group combines the parts.
  static constexpr int combined = 8;
  /// Combines the parts of the columns from tile * combined on, of row `row`, and writes the results. A thread that
  /// has eight parts and more loads eight before it adds the first of them, because each load takes long to answer.
  static KROTON_DEVICE void combine(Group& group, const loops& l, std::int64_t row, std::int64_t tile,
                                    const division& lines, const part* partial) {
    typename Group::template locals<part> every(group);
    const auto column = [&](int thread) { return tile * combined + thread % combined; };
    group.each(every, [&](int thread, part& sum) {
      sum = part();
      if (column(thread) < l.space.inner)
        add_parts(sum, partial + row * l.space.inner + column(thread), l.space.rows * l.space.inner, thread / combined,
                  lines.parts);
    });
    group.reduce_depth(every, combined, [](part& x, const part& y) { at::template merge<0>(x, y); });
    group.each(every, [&](int thread, part& sum) {
      if (thread < combined && column(thread) < l.space.inner) finish(l, l.row(row), column(thread), sum);
    });
  }
  /// Writes the results of column `i` of the only row from its sum, which a product has computed.
  template <class T>
  static KROTON_DEVICE void finish(const loops& l, std::int64_t i, const T* sums) {
    finish(l, l.row(0), i, at::reduced_to(sums[i]));
  }

 private:
  /// Adds part `p` of a column and every `deep`th after it; `step`: from a part to the next.
  static KROTON_DEVICE void add_parts(part& sum, const part* column, std::int64_t step, std::int64_t p,
                                      std::int64_t parts) {
    constexpr int ahead = 8, deep = Group::size / combined;
    for (; p + (ahead - 1) * deep < parts; p += ahead * deep) {
      plain_array<part, ahead> loaded;
      KROTON_UNROLL
      for (int k = 0; k < ahead; ++k) loaded[k] = column[(p + k * deep) * step];
      KROTON_UNROLL
      for (int k = 0; k < ahead; ++k) at::template merge<0>(sum, loaded[k]);
    }
    for (; p < parts; p += deep) at::template merge<0>(sum, column[p * step]);
  }
  /// Reduces line `from` and every `deep`th after it.
  static KROTON_DEVICE void reduce(const loops& l, const typename at::cursor& start, std::int64_t i, std::int64_t from,
                                   std::int64_t to, int deep, state& s) {
    for (auto& sum : s.sums) sum = part();
    if (i >= l.space.inner) return;
    const int left = l.space.inner - i < width ? static_cast<int>(l.space.inner - i) : width;
    typename at::row_values rows{};  // only values that row_evaluator has written are read, which g++ does not see
    row_evaluator<at>::template rows<0>(l, start, i, false, rows,
                                        s.sums[0]);  // elements use only values that are the same for all columns
    const bool is_whole = at::has_whole_packs(l);
    std::int64_t count = 0, m = from;
    const auto fold = [&] {
      if (count % packs_in_fold == 0)
        for (auto& sum : s.sums) at::template fold<0>(sum);
    };
    for (; m + (together - 1) * deep < to; m += together * deep) {
      plain_array<typename at::pack_values, together> v;
      plain_array<typename at::cursor, together> lines;
      KROTON_UNROLL
      for (int t = 0; t < together; ++t) lines[t] = l.line(start, m + t * deep);
      if (is_whole) {
        KROTON_UNROLL
        for (int t = 0; t < together; ++t) at::template load<0, true, true>({l, lines[t], i, left, m + t * deep}, v[t]);
      } else {
        KROTON_UNROLL
        for (int t = 0; t < together; ++t) at::template load<0, true>({l, lines[t], i, left, m + t * deep}, v[t]);
      }
      KROTON_UNROLL
      for (int t = 0; t < together; ++t)
        at::template compute<0, true>({l, lines[t], i, left, m + t * deep}, v[t], rows, s.sums);
      count += together;
      fold();
    }
    for (; m < to; m += deep) {
      typename at::pack_values v;
      at::template evaluate<0, true>({l, l.line(start, m), i, left, m}, v, rows, s.sums);
      ++count;
      fold();
    }
  }
  static KROTON_DEVICE void finish(const loops& l, const typename at::cursor& start, std::int64_t i, const part& sum) {
    typename at::row_values rows;
    row_evaluator<at>::template rows<0>(l, start, i, true, rows, sum);
    row_evaluator<at>::template rows<1>(l, start, i, true, rows, sum);
  }
};

/// A group takes some of the packs of a kernel that reduces all axes.
template <class Fused, class Group>
class full_body {
  using at = elements<Fused>;
  using loops = typename at::loops;
  static constexpr int width = at::width, together = at::loaded_together;

 public:
  using part = typename at::parts;
  static std::int64_t packs(const nest& n) { return n.middles * ((n.inner + width - 1) / width); }

  /// Reduces the packs of part `p` and writes the result to partial[p], or, if there is one part, the results.
  static KROTON_DEVICE void run(Group& group, const loops& l, std::int64_t p, const division& packs, part* partial) {
    const std::int64_t all_packs = l.space.middles * packs_in_line(l);
    const std::int64_t from = p * packs.per_part,
                       to = from + packs.per_part < all_packs ? from + packs.per_part : all_packs;
    typename Group::template locals<part> every(group);
    group.each(every, [&](int thread, part& sum) { reduce(l, from + thread, to, sum); });
    group.all_reduce(
        every, [](part& s) -> part& { return s; }, [](part& x, const part& y) { at::template merge<0>(x, y); });
    group.each(every, [&](int thread, part& sum) {
      if (thread != 0) return;
      if (packs.parts > 1) partial[p] = sum;
      else finish(l, sum);
    });
  }
  /// Combines the parts and writes the results.
  static KROTON_DEVICE void combine(Group& group, const loops& l, const division& packs, const part* partial) {
    typename Group::template locals<part> every(group);
    group.each(every, [&](int thread, part& sum) {
      sum = part();
      for (std::int64_t p = thread; p < packs.parts; p += Group::size) at::template merge<0>(sum, partial[p]);
    });
    group.all_reduce(
        every, [](part& s) -> part& { return s; }, [](part& x, const part& y) { at::template merge<0>(x, y); });
    group.each(every, [&](int thread, part& sum) {
      if (thread == 0) finish(l, sum);
    });
  }

 private:
  static KROTON_DEVICE void finish(const loops& l, const part& sum) {
    const typename at::cursor start = l.row(0);
    typename at::row_values rows;
    row_evaluator<at>::template rows<0>(l, start, 0, true, rows, sum);
    row_evaluator<at>::template rows<1>(l, start, 0, true, rows, sum);
  }
  static KROTON_DEVICE std::int64_t packs_in_line(const loops& l) { return (l.space.inner + width - 1) / width; }
  /// Reduces every `Group::size`th pack of [pack, to).
  static KROTON_DEVICE void reduce(const loops& l, std::int64_t pack, std::int64_t to, part& sum) {
    const typename at::cursor start = l.row(0);
    sum = part();
    typename at::row_values rows;
    row_evaluator<at>::template rows<0>(l, start, 0, false, rows, sum);
    std::int64_t count = 0;
    if (l.space.middles == 1)
      for (; pack + (together - 1) * Group::size < to; pack += together * Group::size) {
        plain_array<typename at::pack_values, together> v;
        if (at::has_whole_packs(l)) {
          KROTON_UNROLL
          for (int t = 0; t < together; ++t)
            at::template load<0, true, true>(at::range_of(l, start, pack + t * Group::size, 0), v[t]);
        } else {
          KROTON_UNROLL
          for (int t = 0; t < together; ++t)
            at::template load<0, true>(at::range_of(l, start, pack + t * Group::size, 0), v[t]);
        }
        KROTON_UNROLL
        for (int t = 0; t < together; ++t)
          at::template compute<0, true>(at::range_of(l, start, pack + t * Group::size, 0), v[t], rows, &sum);
        count += together;
        if (count % packs_in_fold == 0) at::template fold<0>(sum);
      }
    for (; pack < to; pack += Group::size) {
      const std::int64_t line = l.space.middles > 1 ? pack / packs_in_line(l) : 0;
      typename at::pack_values v;
      at::template evaluate<0, true>(
          at::range_of(l, l.line(start, line), pack - line * packs_in_line(l), line * l.space.inner), v, rows, &sum);
      if (++count % packs_in_fold == 0) at::template fold<0>(sum);
    }
  }
};

}  // namespace kroton::runtime::on_device
