// This header has bound steps: what the kernel of a step is called with.
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
  indexed_vector<int> buffers;          ///< of the operands
  indexed_vector<std::int64_t> starts;  ///< of the operands, in bytes
  indexed_vector<std::int64_t> parameters;
  attributes attr;  ///< of a routine
};

/// Runs a bound step.
using launcher = void (*)(const bound_step&, int threads);

}  // namespace kroton::runtime
