// This header has bound steps, which are the arguments of the kernels of steps.
//
//     step map over (n), n = 100  ->  loops {inner 100}, operands {start, 4 bytes}, {start, 4 bytes}, parameters {}
#pragma once

#include <kroton/graph/attributes.hpp>
#include <kroton/kernel/nest.hpp>
#include <kroton/arithmetic/indexed.hpp>

#include <cstdint>
#include <vector>

namespace kroton::runtime {

using kernel::nest;
using kernel::nest_operand;

struct bound_step {
  nest loops;
  indexed_vector<nest_operand> operands;
  indexed_vector<int> buffers;             ///< the buffer of each operand
  indexed_vector<int> moves;               ///< how each operand moves in loops, -1: it does not
  indexed_vector<std::int64_t> starts;     ///< the offset of each operand in its buffer, in bytes
  indexed_vector<std::int64_t> distances;  ///< a number that divides all distances by which the operand moves, in
                                           ///< bytes, 0: it does not move
  indexed_vector<std::int64_t> parameters;
  attributes attr;  ///< the attributes of a routine or a scatter
};

/// How an access moves in the iterations of a loop, see passes::access_move; in elements.
struct bound_move {
  int loop = 0, back = 0, rows = 0, outer = -1;
  std::int64_t offset = 0, step = 0;
  std::int64_t initial = 0, stride = 0;  ///< of what there is before row 0
};

/// The segments of a joined step: how many there are, and the elements of each.
struct bound_segments {
  int count = 0;
  const std::int64_t* elements = nullptr;

  /// `accesses`: of the kernel. The parameters of a joined step end with the elements of its segments.
  bound_segments(const bound_step& b, int accesses)
      : count(static_cast<int>(b.operands.size()) / accesses),
        elements(b.parameters.data() + b.parameters.size() - static_cast<std::size_t>(count)) {}
};

/// Runs a bound step.
using launcher = void (*)(const bound_step&, int threads);

}  // namespace kroton::runtime
