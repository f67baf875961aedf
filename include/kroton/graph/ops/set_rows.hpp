// This header has the operation set_rows: a tensor with other rows at indices.
//
//     {10, 20, 30, 40}, index {2, 0, 2}, rows {1, 2, 3}  ->  {2, 20, 3, 40}: of several for one place the last
#pragma once

#include <kroton/graph/ops/argsort.hpp>
#include <kroton/graph/ops/iota.hpp>
#include <kroton/graph/ops/take.hpp>
#include <kroton/graph/ops/where.hpp>

#include <utility>

namespace kroton {

namespace graph {
/// Writes an element of a row, if no later one has the same index. `keyed`: the indices in order.
template <class T>
struct last_row_task {
  const keyed_position* keyed;
  const std::int64_t* index;
  const T* rows;
  T* result;
  std::int64_t count, row;
  KROTON_HD constexpr void operator()(std::int64_t i) const {
    const std::int64_t place = i / row, column = i % row, position = keyed[place].position;
    if (place + 1 < count && keyed[place + 1].key == keyed[place].key) return;
    result[index[position] * row + column] = rows[position * row + column];
  }
};
}  // namespace graph

namespace ops {
/// Operands: x (n, ...), index (m: int64 in [0, n)), rows (m, ...). Result: x, in which rows[i] is at index[i]; of
/// those with one index the last.
struct set_rows : routine<set_rows, 3, operands::any> {
  static constexpr const char* name = "set_rows";
  static constexpr int cost = 2;
  static constexpr bool cannot_fail = true;
  static constexpr bool types_agree(const dtype* types, int) {
    return types[1] == dtype::int64 && types[0] == types[2];
  }
  static constexpr bool ranks_agree(const shape* x, const auto&) { return x[1].rank == 1 && x[0].rank == x[2].rank; }
  static constexpr bool in_place(int operand) { return operand == 0; }
  static constexpr int batch(const auto&, int operand, int axis) { return axis == 0 || operand == 1 ? -1 : axis; }

  static void host(const auto& call) {
    std::apply([&](const auto&... x) { on_host(call, x...); }, call.operands);
  }
  static void cuda(const auto& call) {
    std::apply([&](const auto&... x) { on_device(call, x...); }, call.operands);
  }
  static std::int64_t cuda_workspace(const auto& call) {
    return std::get<1>(call.operands).size() * 2 * static_cast<std::int64_t>(sizeof(keyed_position));
  }

  template <class B>
  static constexpr void backward(B& b) {
    const auto index = b.operand(1), seed = b.seed();  // of types that depend on B, so that clang waits for B, too
    graph& g = *seed.owner;
    const extent_code count = seed.extents()[0];
    const shape rows = b.operand(2).extents();  // a copy, because new nodes move the graph's shapes
    const auto filled = [&](dtype type, int number, extent_code extent) {
      return broadcast_term(constant_of_bits(g, type, number), {1, {extent}});
    };
    const auto written = [&](term before, term after) {
      return call_routine<set_rows>(no_form{}, before, index, after);
    };
    if (b.wants(0) && is_of_carried(b.operand(0))) {
      // what arrives at a carried variable is a carried variable, too, and changed where it lies
      b.add(0, written(seed, broadcast_term(constant_of_bits(g, seed.type(), 0), rows)));
    } else if (b.wants(0)) {
      const term is_kept = written(filled(dtype::boolean, 1, count), filled(dtype::boolean, 0, rows[0]));
      b.add_where(0, lying_along(is_kept, 0, rows.rank), seed);
    }
    if (b.wants(2) && rows[0] == 1) {
      b.add(2, take_known_term(seed, index));
    } else if (b.wants(2)) {
      const term numbers = kroton::graph::iota(g, dtype::int64, rows[0]);
      const term last = take_known_term(written(filled(dtype::int64, -1, count), numbers), index);
      b.add_where(2, lying_along(last == numbers, 0, rows.rank), take_known_term(seed, index));
    }
  }

 private:
  /// Whether `x` is a carried variable, perhaps with other rows.
  static constexpr bool is_of_carried(term x) {
    while (x.get().op->id == id_of<set_rows> || x.get().op->kind == op_kind::reshape) x.id = x.owner->operand(x.id, 0);
    return x.get().op->kind == op_kind::loop_carried;
  }
  template <class T>
  static void on_host(const auto& call, const routine_tensor<const T>& x, const auto& index,
                      const routine_tensor<const T>& rows) {
    if (call.result.data != x.data) {
      const std::int64_t part = 65536, parts = (x.size() + part - 1) / part;
      call.for_each(parts, [&](std::int64_t i) {
        std::copy(x.data + i * part, x.data + std::min((i + 1) * part, x.size()), call.result.data + i * part);
      });
    }
    const std::int64_t row = rows.count_after(0);
    for (std::int64_t i = 0; i < index.size(); ++i)
      std::copy(rows.data + i * row, rows.data + (i + 1) * row, call.result.data + index[i] * row);
  }
  template <class T>
  static void on_device(const auto& call, const routine_tensor<const T>& x, const auto& index,
                        const routine_tensor<const T>& rows) {
    if (call.result.data != x.data) call.for_each(x.size(), copy_task<T>{x.data, call.result.data});
    if (rows.size() == 0) return;
    const lines_along all(index, {0});
    auto* const keyed = reinterpret_cast<keyed_position*>(call.device_workspace);
    const keyed_position* const sorted = sorted_on_device(call, index, all, keyed, false);
    call.for_each(rows.size(),
                  last_row_task<T>{sorted, index.data, rows.data, call.result.data, index.size(), rows.count_after(0)});
  }
};
}  // namespace ops

}  // namespace kroton
