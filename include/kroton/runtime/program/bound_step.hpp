// A step of a program with its extents known: what a kernel of the host is called with.
#pragma once

#include <kroton/runtime/context/indexed_vector.hpp>
#include <kroton/kernel/nest.hpp>

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
};

/// Runs a bound step.
using launcher = void (*)(const bound_step&, int threads);

}  // namespace kroton::runtime
