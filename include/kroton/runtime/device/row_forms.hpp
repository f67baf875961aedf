// This header has the forms of kernels that reduce rows on a device. There are five, which differ in the threads that
// take a row. The length of the row decides which form runs. A program compiles only the forms that the lengths in it
// allow:
//
//     softmax over 10 floats, 3 packs of 4                 ->  few
//     a sum over two axes of 50 and 30 floats, 375 packs   ->  block, and lines for axes that are not contiguous
//     a sum over an axis whose length is unknown           ->  all five
#pragma once

#include <kroton/passes/program.hpp>

#include <algorithm>

namespace kroton::runtime::on_device {

/// One form, or a set of them.
enum class row_form : unsigned {
  few = 1,         ///< eight threads of a warp take a row; as in all forms but `lines`, they keep it in registers
  warp = 2,        ///< a warp takes a row
  half_block = 4,  ///< half as many threads as a block has take a row
  block = 8,       ///< a block takes a row
  lines = 16,      ///< a block takes a row of one or more lines, and reads it again for each reduction
  all = 31,
};
constexpr row_form operator|(row_form x, row_form y) {
  return static_cast<row_form>(static_cast<unsigned>(x) | static_cast<unsigned>(y));
}
constexpr bool has(row_form forms, row_form one) {
  return (static_cast<unsigned>(forms) & static_cast<unsigned>(one)) != 0;
}

/// The most packs that a thread keeps in registers: in the form `few`, and in others.
inline constexpr int packs_kept_by_few = 4, packs_kept = 8;

/// The form for rows of `lines` lines of `packs` packs.
template <class Launch>
constexpr row_form row_form_of(std::int64_t lines, std::int64_t packs) {
  if (lines != 1 || packs > packs_kept * Launch::block::size) return row_form::lines;
  if (packs > packs_kept * Launch::half_block::size) return row_form::block;
  if (packs > packs_kept * Launch::warp::size) return row_form::half_block;
  return packs > packs_kept_by_few * Launch::few::size ? row_form::warp : row_form::few;
}
/// The forms that step `s` can need if a pack of its kernel has `width` elements. Kernels of other kinds have no forms;
/// they get `all`, so that they are compiled once.
template <class Launch>
constexpr row_form row_forms_of(const step& s, std::int64_t width) {
  if (s.kind != step_kind::over_rows) return row_form::all;
  std::int64_t elements = 1;
  for (int axis = std::max(0, s.space.rank - std::max(1, s.reduced)); axis < s.space.rank; ++axis) {
    if (s.space[axis] < 0) return row_form::all;
    elements *= s.space[axis];
  }
  const row_form as_one_line = row_form_of<Launch>(1, (elements + width - 1) / width);
  return s.reduced > 1 ? as_one_line | row_form::lines : as_one_line;
}

}  // namespace kroton::runtime::on_device
