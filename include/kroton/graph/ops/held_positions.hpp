// This header has the operation held_positions: where the elements of a mask are that hold, and how many they are.
//
//     {0, 1, 1, 0, 1}, 4 at most  ->  {1, 2, 4, 5, 3}: three positions, the length behind them, and their number
//     {0, 1, 1, 0, 1}, all        ->  {1, 2, 4, 0, 3, 3}: then the positions of the elements that do not hold
#pragma once

#include <kroton/graph/attributes.hpp>
#include <kroton/graph/routine.hpp>

#include <algorithm>

namespace kroton {

namespace graph {
/// A mask in pieces, each of which a thread of the host takes.
struct mask_pieces {
  static constexpr int most = 64;
  const bool* mask;
  std::int64_t length, size;
  std::int64_t* counts;  // of the elements that hold, in each piece; then of those that hold before it

  mask_pieces(const bool* held, std::int64_t count, std::int64_t* memory)
      : mask(held), length(count), size(std::max<std::int64_t>(1 << 14, (count + most - 1) / most)), counts(memory) {}
  std::int64_t count() const { return (length + size - 1) / size; }
  std::int64_t start(std::int64_t piece) const { return piece * size; }
  std::int64_t past(std::int64_t piece) const { return std::min(length, start(piece) + size); }
};
struct count_held {
  mask_pieces pieces;
  void operator()(std::int64_t piece) const {
    std::int64_t held = 0;
    for (std::int64_t i = pieces.start(piece); i < pieces.past(piece);) {
      std::uint32_t few = 0;
      for (const std::int64_t past = std::min(pieces.past(piece), i + 4096); i < past; ++i) few += pieces.mask[i];
      held += few;
    }
    pieces.counts[piece] = held;
  }
};
/// Writes the positions of the elements of a piece that hold, or do not, from where those of the pieces before end.
struct write_positions {
  mask_pieces pieces;
  std::int64_t *to, room;  // `to` has room for so many positions
  bool holds;
  void operator()(std::int64_t piece) const {
    constexpr int together = 8;
    const std::int64_t held_before = pieces.counts[piece], start = pieces.start(piece), past = pieces.past(piece);
    const std::int64_t in_piece = pieces.counts[piece + 1] - held_before;
    std::int64_t next = holds ? held_before : start - held_before;
    const std::int64_t last = std::min(room, next + (holds ? in_piece : past - start - in_piece));
    for (std::int64_t i = start; i < past && next < last; i += together) {
      std::int64_t found[together + 1];
      int count = 0;
      for (std::int64_t j = i; j < std::min(past, i + together); ++j) {  // without a branch for each element
        found[count] = j;
        count += pieces.mask[j] == holds;
      }
      const std::int64_t wanted = std::min<std::int64_t>(count, last - next);
      std::copy(found, found + wanted, to + next);
      next += wanted;
    }
  }
};
/// What a device writes before it selects: the length in place of each position, no element found, and the elements
/// that do not hold, if they are wanted.
struct prepare_selection {
  const bool* mask;
  std::int64_t* positions;
  bool* others;
  std::int64_t length, most;
  KROTON_HD constexpr void operator()(std::int64_t i) const {
    if (i < most) positions[i] = length;
    if (i == most) positions[i] = 0;
    if (others != nullptr && i < length) others[i] = !mask[i];
  }
};
}  // namespace graph

namespace ops {
/// Operand: a mask (n). Attributes: held_form. Result: int64, the positions and the number of those that hold.
struct held_positions : routine<held_positions, 1, operands::boolean> {
  using form = held_form;
  static constexpr const char* name = "held_positions";
  static constexpr int cost = 4;
  static constexpr bool cannot_fail = true;
  static constexpr dtype result(const dtype*, int) { return dtype::int64; }
  static constexpr bool ranks_agree(const shape* x, const form&) { return x[0].rank == 1; }
  static constexpr shape result_shape(auto& table, const shape* x, const form& f) {
    return {1, {f.all ? table.add(x[0][0], 1) : f.most + 1}};
  }
  static constexpr int batch(const form&, int, int) { return -1; }
  static constexpr extent_code workspace(auto&, const shape*, const dtype*, const form&) {
    return (mask_pieces::most + 1) * static_cast<extent_code>(sizeof(std::int64_t));
  }

  static void host(const auto& call) {
    const auto& [mask] = call.operands;
    const std::int64_t most = call.result.size() - 1;
    const mask_pieces pieces(mask.data, mask.size(), reinterpret_cast<std::int64_t*>(call.workspace));
    call.for_each(pieces.count(), count_held{pieces});
    std::int64_t total = 0;
    for (std::int64_t piece = 0; piece < pieces.count(); ++piece) total += std::exchange(pieces.counts[piece], total);
    pieces.counts[pieces.count()] = total;
    std::int64_t* const to = call.result.data;
    call.for_each(pieces.count(), write_positions{pieces, to, most, true});
    if (call.form.all) call.for_each(pieces.count(), write_positions{pieces, to + total, most - total, false});
    else std::fill(to + std::min(total, most), to + most, mask.size());
    to[most] = total;
  }
  static void cuda(const auto& call) {
    const auto& [mask] = call.operands;
    const std::int64_t most = call.result.size() - 1, length = mask.size();
    std::int64_t* const to = call.result.data;
    std::byte* const memory = call.device_workspace;
    bool* const others =
        call.form.all ? reinterpret_cast<bool*>(memory + call.select_workspace(length) + unit) : nullptr;
    call.for_each(std::max(most + 1, others == nullptr ? 0 : length),
                  prepare_selection{mask.data, to, others, length, most});
    if (length == 0) return;
    call.select(mask.data, length, {to, most, nullptr}, to + most, memory + unit);
    if (others != nullptr)
      call.select(others, length, {to, most, to + most}, reinterpret_cast<std::int64_t*>(memory), memory + unit);
  }
  static std::int64_t cuda_workspace(const auto& call) {
    const std::int64_t length = std::get<0>(call.operands).size();
    return unit + call.select_workspace(length) + (call.form.all ? length : 0);
  }

 private:
  static constexpr std::int64_t unit = 256;  // bytes before the memory of the selection, which is aligned
};
}  // namespace ops

}  // namespace kroton
