// This header sums along lines of a tensor, all elements up to each: on the host, and in parts on a device. What joins
// two sums is a parameter, so that they may be products, too.
//
//     {1, 2, 3, 4} in two parts  ->  totals {3, 7}  ->  before each part {0, 3}  ->  {1, 3, 6, 10}
#pragma once

#include <kroton/arithmetic/dtype.hpp>
#include <kroton/graph/attributes.hpp>
#include <kroton/graph/routine_call.hpp>

#include <algorithm>
#include <type_traits>

namespace kroton::graph {

/// Lines along one axis, from the first element on or, reversed, from the last one back.
struct lines_along {
  std::int64_t length, apart, stride;  ///< neighbours lie so far apart in memory, elements of a line `stride`
  template <class T>
  KROTON_HD explicit constexpr lines_along(const routine_tensor<T>& x, along_form form)
      : length(x.extent(form.axis)), apart(x.count_after(form.axis)), stride(form.reversed ? -apart : apart) {}
  /// Where line `line` begins.
  KROTON_HD constexpr std::int64_t start(std::int64_t line) const {
    return (line / apart * length + (stride < 0 ? length - 1 : 0)) * apart + line % apart;
  }
};

/// Sums. Floats are added in double, 16-bit floats in float, integers in 64 bits, which wrap.
struct added {
  template <class T>
  using sum_of = std::conditional_t<std::is_same_v<T, float>, double,
                                    std::conditional_t<std::is_integral_v<T>, std::uint64_t, computed_in_t<T>>>;
  template <class Sum>
  static constexpr Sum nothing = Sum(0);  ///< the sum of no elements
  template <class Sum>
  KROTON_HD static constexpr Sum join(const Sum& x, const Sum& y) {
    return x + y;
  }
};
/// Products, in the same types.
struct multiplied {
  template <class T>
  using sum_of = added::sum_of<T>;
  template <class Sum>
  static constexpr Sum nothing = Sum(1);
  template <class Sum>
  KROTON_HD static constexpr Sum join(const Sum& x, const Sum& y) {
    return x * y;
  }
};

/// Sums part `i % parts` of line `i / parts`: with `Writes` every partial sum, beginning with what is before the part,
/// and without it the total alone.
template <class Join, bool Writes, class Sum, class T, class Result>
struct sum_part {
  const T* x;
  Result* y;
  Sum* totals;
  lines_along lines;
  std::int64_t parts, part_length;
  KROTON_HD constexpr void operator()(std::int64_t i) const {
    const std::int64_t line = i / parts, first = i % parts * part_length;
    const std::int64_t past = first + part_length < lines.length ? first + part_length : lines.length;
    Sum sum = Writes && totals != nullptr ? totals[i] : Join::template nothing<Sum>;
    std::int64_t at = lines.start(line) + first * lines.stride;
    for (std::int64_t k = first; k < past; ++k, at += lines.stride) {
      sum = Join::join(sum, static_cast<Sum>(x[at]));
      if constexpr (Writes) y[at] = static_cast<Result>(sum);
    }
    if constexpr (!Writes) totals[i] = sum;
  }
};
/// Puts what is before each part of a line in place of the part's total.
template <class Join, class Sum>
struct sum_totals {
  Sum* totals;
  std::int64_t parts;
  KROTON_HD constexpr void operator()(std::int64_t line) const {
    Sum sum = Join::template nothing<Sum>;
    for (std::int64_t i = line * parts; i < (line + 1) * parts; ++i) {
      const Sum total = totals[i];
      totals[i] = sum;
      sum = Join::join(sum, total);
    }
  }
};

/// The sums of all elements up to each. Calls have an along_form.
template <class Join>
struct line_sums {
  template <class T>
  using sum_of = typename Join::template sum_of<T>;

  /// Lines that are summed at the same time: neighbours, whose elements lie side by side, or along the last axis a few
  /// that follow each other, because an addition waits for the one before. Long lines are divided into parts.
  template <class T, class Result>
  static void on_host(const auto& call, const T* x, Result* y) {
    if (call.result.size() == 0) return;
    const lines_along lines(call.result, call.form);
    const std::int64_t before = call.result.count_before(call.form.axis);
    if (lines.apart == 1 && lines.length >= long_line) {
      for (std::int64_t line = 0; line < before; ++line)
        sum_long_line(call, x + lines.start(line), y + lines.start(line), lines);
    } else if (lines.apart == 1) {
      constexpr std::int64_t most = 4;
      call.for_each((before + most - 1) / most, [&](std::int64_t i) {
        const std::int64_t first = i * most, at = lines.start(first);
        sum_bundle<most>(x + at, y + at, lines.length, lines.stride, lines.length, std::min(most, before - first));
      });
    } else {
      constexpr std::int64_t most = 512;  // long runs of memory; fewer where each thread should have some
      const std::int64_t width = std::clamp(lines.apart / call.threads, std::int64_t{32}, most);
      const std::int64_t bundles = (lines.apart + width - 1) / width;
      call.for_each(before * bundles, [&](std::int64_t i) {
        const std::int64_t first = i % bundles * width, at = lines.start(i / bundles * lines.apart + first);
        sum_bundle<most>(x + at, y + at, lines.length, lines.stride, 1, std::min(width, lines.apart - first));
      });
    }
  }
  /// Sums `count` lines of `length` elements, at most `Most`, that begin `apart` elements apart, and with the sums
  /// `before` if there are any.
  template <std::int64_t Most, class T, class Result>
  [[gnu::always_inline]] static void sum_bundle(const T* x, Result* y, std::int64_t length, std::int64_t stride,
                                                std::int64_t apart, std::int64_t count,
                                                const sum_of<T>* before = nullptr) {
    sum_of<T> sums[Most];
    if (before != nullptr) std::copy_n(before, count, sums);
    else std::fill_n(sums, Most, Join::template nothing<sum_of<T>>);
    for (std::int64_t k = 0; k < length; ++k)
      for (std::int64_t j = 0; j < count; ++j) {
        const std::int64_t at = k * stride + j * apart;
        sums[j] = Join::join(sums[j], static_cast<sum_of<T>>(x[at]));
        y[at] = static_cast<Result>(sums[j]);
      }
  }
  static constexpr std::int64_t long_line = 1 << 16;
  /// Sums a line in parts, as a device does: the total of each, what is before each, and then all sums. The parts
  /// depend on the length alone, so that the sums are the same for any number of threads.
  template <class T, class Result>
  static void sum_long_line(const auto& call, const T* x, Result* y, const lines_along& lines) {
    using sum = sum_of<T>;
    constexpr std::int64_t most_parts = 1024, least_length = 4096, together = 4;
    const std::int64_t length = std::max((lines.length + most_parts - 1) / most_parts, least_length);
    const std::int64_t parts = (lines.length + length - 1) / length, stride = lines.stride;
    sum totals[most_parts];
    call.for_each(parts, [&](std::int64_t part) {
      const std::int64_t first = part * length, past = std::min(first + length, lines.length);
      sum lanes[8];
      std::fill_n(lanes, 8, Join::template nothing<sum>);
      std::int64_t k = first;
      for (; k + 8 <= past; k += 8)
        for (std::int64_t j = 0; j < 8; ++j) lanes[j] = Join::join(lanes[j], static_cast<sum>(x[(k + j) * stride]));
      for (; k < past; ++k) lanes[0] = Join::join(lanes[0], static_cast<sum>(x[k * stride]));
      for (int j = 1; j < 8; ++j) lanes[0] = Join::join(lanes[0], lanes[j]);
      totals[part] = lanes[0];
    });
    sum_totals<Join, sum>{totals, parts}(0);
    call.for_each((parts + together - 1) / together, [&](std::int64_t i) {
      const std::int64_t first = i * together, count = std::min(together, parts - first);
      const std::int64_t last = std::min(length, lines.length - (first + count - 1) * length);  // of the last part
      const auto sum_parts = [&](std::int64_t begin, std::int64_t elements, std::int64_t number) {
        const std::int64_t at = begin * length * stride;
        sum_bundle<together>(x + at, y + at, elements, stride, length * stride, number, totals + begin);
      };
      if (last == length) return sum_parts(first, length, count);
      if (count > 1) sum_parts(first, length, count - 1);
      sum_parts(first + count - 1, last, 1);
    });
  }
  // A device divides long lines into parts: it sums each, then the totals of a line, and then writes the sums.
  struct division {
    std::int64_t lines, parts, part_length;
  };
  static division divide(const auto& call) {
    const std::int64_t length = call.result.extent(call.form.axis),
                       lines = length == 0 ? 0 : call.result.size() / length;
    constexpr std::int64_t enough = 1 << 14;  // lines for a GPU
    std::int64_t part = 64;
    while (part * part < length) part *= 2;
    if (lines >= enough || part >= length) return {lines, 1, length};
    return {lines, (length + part - 1) / part, part};
  }
  template <class T>
  static std::int64_t device_workspace(const auto& call, const T*) {
    const division d = divide(call);
    return d.parts == 1 ? 0 : d.lines * d.parts * static_cast<std::int64_t>(sizeof(sum_of<T>));
  }
  template <class T, class Result>
  static void on_device(const auto& call, const T* x, Result* y) {
    using sum = sum_of<T>;
    const division d = divide(call);
    const lines_along lines(call.result, call.form);
    sum* const totals = d.parts == 1 ? nullptr : reinterpret_cast<sum*>(call.device_workspace);
    if (totals != nullptr) {
      call.for_each(d.lines * d.parts,
                    sum_part<Join, false, sum, T, Result>{x, y, totals, lines, d.parts, d.part_length});
      call.for_each(d.lines, sum_totals<Join, sum>{totals, d.parts});
    }
    call.for_each(d.lines * d.parts, sum_part<Join, true, sum, T, Result>{x, y, totals, lines, d.parts, d.part_length});
  }
};

}  // namespace kroton::graph
