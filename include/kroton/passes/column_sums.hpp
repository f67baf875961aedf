// This header recognises the steps that sum the columns of a matrix, whose work the epilogue of a product can do.
//
//     step 8: over columns of (batch, 10): load #5, sum, store #9  ->  summed_matrix is buffer 5, stored_sums the
//     access of #9
#pragma once

#include <kroton/graph/ops/sum.hpp>
#include <kroton/passes/program.hpp>

namespace kroton::passes {

/// Whether an instruction loads or stores all elements of a matrix of floats in their order. `p`: a program.
constexpr bool is_whole(const auto& p, const step& s, const instruction& x, instruction_kind kind) {
  if (x.kind != kind || x.stride != stride_class::unit || x.type != dtype::float32) return false;
  const access& a = p.accesses[s.first_access + x.access()];
  return a.offset == 0 && a.stride[0] == s.space[1] && a.stride[1] == 1;
}
constexpr bool is_sum_of_columns(const instruction& x) {
  return x.kind == instruction_kind::reduce && x.op->id == id_of<ops::sum> && x.type == dtype::float32;
}
/// The buffer of the matrix whose columns a step sums, if it computes nothing else but what follows from the sums; -1:
/// it is no such step.
constexpr int summed_matrix(const auto& p, const step& s) {
  if (s.kind != step_kind::over_columns || s.reduced != 1 || s.space.rank != 2) return -1;
  const auto at = [&](int i) -> const instruction& { return p.instructions[s.first_instruction + i]; };
  int summed = -1;
  for (int i = 0; i < s.instructions; ++i) {
    if (at(i).kind != instruction_kind::reduce) continue;
    if (summed >= 0 || !is_sum_of_columns(at(i))) return -1;
    summed = at(i).operand[0];
  }
  for (int i = 0; i < s.instructions; ++i)
    if (!at(i).reduced && at(i).kind != instruction_kind::reduce && i != summed) return -1;
  return summed >= 0 && is_whole(p, s, at(summed), instruction_kind::load)
             ? p.accesses[s.first_access + at(summed).access()].buffer
             : -1;
}
/// The access that a step stores the sums of its columns to, if it does nothing else with them; -1: it does more.
constexpr int stored_sums(const auto& p, const step& s) {
  int stored = -1;
  for (int i = s.first_instruction, past = i + s.instructions; i < past; ++i) {
    const instruction& x = p.instructions[i];
    if (!x.reduced || x.kind == instruction_kind::reduce) continue;
    if (stored >= 0 || x.kind != instruction_kind::store || x.type != dtype::float32) return -1;
    const instruction& of = p.instructions[s.first_instruction + x.operand[0]];
    if (of.kind != instruction_kind::reduce || x.stride != stride_class::unit) return -1;
    stored = s.first_access + x.access();
  }
  return stored >= 0 && p.accesses[stored].offset == 0 ? stored : -1;
}

}  // namespace kroton::passes
