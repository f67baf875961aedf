// What is said of results that a call cannot have.
#pragma once

#include <kroton/runtime/arguments.hpp>

#include <algorithm>

namespace kroton {

KROTON_DEFINITION void require_different(std::initializer_list<const void*> results) {
  for (auto x = results.begin(); x != results.end(); ++x)
    if (const auto y = std::find(results.begin(), x, *x); y != x)
      throw error(message("kroton: into: outputs ", y - results.begin() + 1, " and ", x - results.begin() + 1,
                          " go into one tensor; give each a tensor of its own"));
}

}  // namespace kroton
