// This file has the error of vectors of different sizes.
#pragma once

#include <kroton/runtime/lazy.hpp>

namespace kroton::runtime {

[[gnu::cold]] KROTON_DEFINITION void require_equal_sizes(std::initializer_list<std::int64_t> sizes) {
  int number = 0;
  for (const std::int64_t each : sizes)
    if (++number; each != *sizes.begin())
      throw shape_error(message("kroton: lazy: vector 1 has ", *sizes.begin(), " elements, but vector ", number,
                                " has ", each, "; pass vectors that agree"));
}

}  // namespace kroton::runtime
