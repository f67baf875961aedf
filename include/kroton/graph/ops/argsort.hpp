// This header has the operation argsort: along an axis, the positions of the elements in ascending or descending order,
// of all or of the first ones.
//
//     {3, NaN, 1, 3}  ->  keys {k(3), ~0, k(1), k(3)}  ->  sorted with their positions  ->  {2, 0, 3, 1}
#pragma once

#include <kroton/graph/line_sums.hpp>
#include <kroton/graph/routine.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <type_traits>

namespace kroton {

namespace graph {
/// A key and the position of the element that has it. No two are equal, so that there is one order, which is stable.
struct keyed_position {
  std::uint64_t key;
  std::int64_t position;
  KROTON_HD friend constexpr bool operator<(const keyed_position& x, const keyed_position& y) {
    return x.key < y.key || (x.key == y.key && x.position < y.position);
  }
};

template <class Unsigned, class T>
KROTON_HD constexpr std::uint64_t key_of_float(T x, bool descends) {
  constexpr Unsigned sign = Unsigned(1) << (8 * sizeof(Unsigned) - 1);
  if (x != x) return static_cast<Unsigned>(~Unsigned(0));
  const auto bits = __builtin_bit_cast(Unsigned, x == T(0) ? T(0) : x);
  const auto key = static_cast<Unsigned>((bits & sign) != 0 ? ~bits : bits | sign);
  return static_cast<Unsigned>(descends ? ~key : key);
}
/// A number that orders elements as they should be: NaN is the last in both orders, and -0 equals 0.
template <class T>
KROTON_HD constexpr std::uint64_t sort_key(T x, bool descends) {
  if constexpr (std::is_same_v<T, double>) {
    return key_of_float<std::uint64_t>(x, descends);
  } else if constexpr (!std::is_integral_v<T>) {
    return key_of_float<std::uint32_t>(static_cast<float>(x), descends);
  } else {
    using bits = std::make_unsigned_t<T>;
    constexpr bits moved = std::is_signed_v<T> ? static_cast<bits>(bits(1) << (8 * sizeof(T) - 1)) : bits(0);
    const auto key = static_cast<bits>(static_cast<bits>(x) ^ moved);
    return static_cast<bits>(descends ? ~key : key);
  }
}

/// Sorts by one byte of the key after the other, from the last, what is in the order of its positions; bytes that all
/// keys share take no pass. Returns where the sorted ones are, which is `from` or `to`.
inline keyed_position* sorted_by_digits(keyed_position* from, keyed_position* to, std::int64_t count) {
  constexpr int digits = 8, values = 256;
  std::int64_t counts[digits][values] = {};
  const auto digit_of = [](const keyed_position& x, int digit) { return x.key >> (8 * digit) & (values - 1); };
  for (std::int64_t i = 0; i < count; ++i)
    for (int digit = 0; digit < digits; ++digit) ++counts[digit][digit_of(from[i], digit)];
  for (int digit = 0; digit < digits; ++digit) {
    std::int64_t* const next = counts[digit];
    if (next[digit_of(from[0], digit)] == count) continue;
    std::int64_t before = 0;
    for (int value = 0; value < values; ++value) before += std::exchange(next[value], before);
    for (std::int64_t i = 0; i < count; ++i) to[next[digit_of(from[i], digit)]++] = from[i];
    std::swap(from, to);
  }
  return from;
}
/// Writes the positions of one line of `x` in order, on the host.
template <class T>
struct order_line {
  T* x;
  keyed_position *from, *to;
  std::int64_t* positions;
  lines_along lines;
  bool descends;
  void operator()(std::int64_t line) const {
    constexpr std::int64_t few = 512;
    const std::int64_t count = lines.length, start = lines.start(line);
    keyed_position* keyed = from + line * count;
    for (std::int64_t i = 0; i < count; ++i) keyed[i] = {sort_key(x[start + i * lines.stride], descends), i};
    if (count < few) std::sort(keyed, keyed + count);
    else keyed = sorted_by_digits(keyed, to + line * count, count);
    for (std::int64_t i = 0; i < count; ++i) positions[start + i * lines.stride] = keyed[i].position;
  }
};
/// Writes the first `results.length` of these positions, on the host. Elements that may be among them are collected;
/// when twice as many are there, the last half of them is dropped, and what comes later must be before what is left.
template <class T>
struct select_line {
  T* x;
  keyed_position* candidates;  // twice as many as results
  std::int64_t* positions;
  lines_along lines, results;
  bool descends;
  void operator()(std::int64_t line) const {
    constexpr std::int64_t together = 256;  // elements that are compared before one of them is looked at
    const std::int64_t wanted = results.length, room = 2 * wanted, start = lines.start(line);
    keyed_position* const found = candidates + line * room;
    std::int64_t count = 0;
    keyed_position last{};  // of those that are wanted, of what was seen
    bool is_full = false;
    for (std::int64_t first = 0; first < lines.length; first += together) {
      const std::int64_t past = std::min(first + together, lines.length);
      const T* const block = x + start + first * lines.stride;
      if (is_full && lines.stride == 1 && !has_better(block, past - first, x[start + last.position])) continue;
      for (std::int64_t i = first; i < past; ++i) {
        const std::uint64_t key = sort_key(block[(i - first) * lines.stride], descends);
        if (is_full && key >= last.key) continue;
        found[count++] = {key, i};
        if (count < room) continue;
        std::nth_element(found, found + wanted - 1, found + count);
        count = wanted;
        last = found[wanted - 1];
        is_full = true;
      }
    }
    if (count > wanted) std::nth_element(found, found + wanted - 1, found + count);
    std::sort(found, found + wanted);
    for (std::int64_t i = 0; i < wanted; ++i) positions[results.start(line) + i * results.stride] = found[i].position;
  }

 private:
  /// Whether an element may come before one that has the value `than`.
  bool has_better(const T* elements, std::int64_t count, T than) const {
    bool found = than != than;
    if (descends)
      for (std::int64_t i = 0; i < count; ++i) found |= elements[i] > than;
    else
      for (std::int64_t i = 0; i < count; ++i) found |= elements[i] < than;
    return found;
  }
};

// The tasks of a device. Element i is element `i % length` of line `i / length`.
template <class T>
struct key_task {
  T* x;
  keyed_position* keyed;
  lines_along lines;
  bool descends;
  KROTON_HD constexpr void operator()(std::int64_t i) const {
    const std::int64_t at = i % lines.length;
    keyed[i] = {sort_key(x[lines.start(i / lines.length) + at * lines.stride], descends), at};
  }
};
struct position_task {
  const keyed_position* keyed;
  std::int64_t* positions;
  lines_along results;
  std::int64_t length;  // of a line of `keyed`
  KROTON_HD constexpr void operator()(std::int64_t i) const {
    const std::int64_t line = i / results.length, at = i % results.length;
    positions[results.start(line) + at * results.stride] = keyed[line * length + at].position;
  }
};
/// Puts an element of a sorted run of `width` to where it is in the run merged with its neighbour: behind those before
/// it in its own run, and those of the neighbour that are less.
struct merge_task {
  const keyed_position* from;
  keyed_position* to;
  std::int64_t width, length;
  KROTON_HD constexpr void operator()(std::int64_t i) const {
    const std::int64_t line = i / length * length, at = i - line;
    const std::int64_t own = at / width * width, neighbour = at / width % 2 == 0 ? own + width : own - width;
    const std::int64_t first = neighbour < length ? neighbour : length;
    std::int64_t low = first, high = first + width < length ? first + width : length;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (from[line + middle] < from[i]) low = middle + 1;
      else high = middle;
    }
    to[line + (own < neighbour ? own : neighbour) + (at - own) + (low - first)] = from[i];
  }
};
/// Writes the key and the position of each element of line `line`; a device then sorts both by the digits of the keys.
template <class T, class Key>
struct line_key_task {
  T* x;
  Key* keys;
  std::int32_t* positions;
  lines_along lines;
  std::int64_t line;
  bool descends;
  KROTON_HD constexpr void operator()(std::int64_t i) const {
    keys[i] = static_cast<Key>(sort_key(x[lines.start(line) + i * lines.stride], descends));
    positions[i] = static_cast<std::int32_t>(i);
  }
};
struct line_position_task {
  const std::int32_t* sorted;
  std::int64_t* positions;
  lines_along results;
  std::int64_t line;
  KROTON_HD constexpr void operator()(std::int64_t i) const {
    positions[results.start(line) + i * results.stride] = sorted[i];
  }
};
/// Sorts long lines on a device, one after the other, by the digits of their keys. Memory: the keys, and 32 bits for
/// each position, twice, and what the sort takes.
template <class T>
class digit_sort {
  using key = std::conditional_t<(sizeof(T) > 4), std::uint64_t, std::uint32_t>;
  static constexpr int bits = std::is_integral_v<T> ? 8 * sizeof(T) : 8 * sizeof(key);

 public:
  /// By few launches for each line; what merges runs of all lines at the same time takes 17 passes for such a line.
  static bool suits(const lines_along& lines) {
    return lines.length >= std::int64_t{1} << 17 && lines.length <= std::numeric_limits<std::int32_t>::max();
  }
  static std::int64_t workspace(const auto& call, std::int64_t length) {
    return arrays(length) + call.template sort_workspace<key, std::int32_t>(length, bits);
  }
  static void run(const auto& call, const routine_tensor<T>& x, const lines_along& lines, const lines_along& results) {
    auto* const keys = reinterpret_cast<key*>(call.device_workspace);
    key* const sorted = keys + lines.length;
    auto* const positions = reinterpret_cast<std::int32_t*>(sorted + lines.length);
    std::int32_t* const moved = positions + lines.length;
    for (std::int64_t line = 0; line < x.size() / lines.length; ++line) {
      call.for_each(lines.length, line_key_task<T, key>{x.data, keys, positions, lines, line, call.form.reversed});
      call.template sort_by_key<key, std::int32_t>(keys, sorted, positions, moved, lines.length, bits,
                                                   call.device_workspace + arrays(lines.length));
      call.for_each(results.length, line_position_task{moved, call.result.data, results, line});
    }
  }

 private:
  /// Bytes of the arrays; what follows them is aligned.
  static constexpr std::int64_t arrays(std::int64_t length) {
    constexpr std::int64_t alignment = 256;
    const std::int64_t bytes = length * 2 * static_cast<std::int64_t>(sizeof(key) + sizeof(std::int32_t));
    return (bytes + alignment - 1) / alignment * alignment;
  }
};
/// Sorts the lines of `x` on a device: merges runs of 1, 2, 4, ... elements. `memory`: for twice as many as `x` has.
template <class T>
const keyed_position* sorted_on_device(const auto& call, const routine_tensor<T>& x, const lines_along& lines,
                                       keyed_position* memory, bool descends) {
  keyed_position *from = memory, *to = memory + x.size();
  call.for_each(x.size(), key_task<T>{x.data, from, lines, descends});
  for (std::int64_t width = 1; width < lines.length; width *= 2) {
    call.for_each(x.size(), merge_task{from, to, width, lines.length});
    std::swap(from, to);
  }
  return from;
}
}  // namespace graph

namespace ops {
/// Attributes: along_form; reversed: in descending order. Equal elements are in the order of their positions. The axis
/// has at least `count` elements.
struct argsort : routine<argsort, 1, operands::numeric> {
  using form = along_form;
  static constexpr const char* name = "argsort";
  static constexpr int cost = 60;
  static constexpr bool cannot_fail = true;
  static constexpr dtype result(const dtype*, int) { return dtype::int64; }
  static constexpr int batch(form f, int, int axis) { return axis == f.axis ? -1 : axis; }
  static constexpr shape result_shape(auto&, const shape* x, form f) {
    shape s = x[0];
    if (f.count > 0) s[f.axis] = f.count;
    return s;
  }
  static constexpr extent_code workspace(auto& table, const shape* x, const dtype*, form f) {
    return table.multiply(table.elements(result_shape(table, x, f)), 2 * sizeof(keyed_position));
  }

  static void host(const auto& call) { on_host(call, std::get<0>(call.operands)); }
  static void cuda(const auto& call) { on_device(call, std::get<0>(call.operands)); }
  static std::int64_t cuda_workspace(const auto& call) {
    return device_workspace_for(call, std::get<0>(call.operands));
  }

 private:
  template <class T>
  static void on_host(const auto& call, const routine_tensor<T>& x) {
    if (x.size() == 0) return;
    const lines_along lines(x, {call.form.axis});
    keyed_position* const keyed = reinterpret_cast<keyed_position*>(call.workspace);
    const std::int64_t count = x.size() / lines.length;
    if (call.form.count == 0)
      call.for_each(count, order_line<T>{x.data, keyed, keyed + x.size(), call.result.data, lines, call.form.reversed});
    else
      call.for_each(count, select_line<T>{x.data, keyed, call.result.data, lines,
                                          lines_along(call.result, {call.form.axis}), call.form.reversed});
  }
  template <class T>
  static std::int64_t device_workspace_for(const auto& call, const routine_tensor<T>& x) {
    const lines_along lines(x, {call.form.axis});
    if (digit_sort<T>::suits(lines)) return digit_sort<T>::workspace(call, lines.length);
    return call.form.count > 0 ? x.size() * 2 * static_cast<std::int64_t>(sizeof(keyed_position)) : 0;
  }
  template <class T>
  static void on_device(const auto& call, const routine_tensor<T>& x) {
    if (x.size() == 0) return;
    const lines_along lines(x, {call.form.axis});
    if (digit_sort<T>::suits(lines))
      return digit_sort<T>::run(call, x, lines, lines_along(call.result, {call.form.axis}));
    auto* const memory =
        reinterpret_cast<keyed_position*>(call.form.count == 0 ? call.workspace : call.device_workspace);
    const keyed_position* const sorted = sorted_on_device(call, x, lines, memory, call.form.reversed);
    call.for_each(call.result.size(),
                  position_task{sorted, call.result.data, lines_along(call.result, {call.form.axis}), lines.length});
  }
};
}  // namespace ops

}  // namespace kroton
