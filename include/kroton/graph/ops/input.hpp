// Arguments of the function and shared variables of the model.
#pragma once

#include <kroton/graph/term.hpp>

namespace kroton::ops {

/// attr.a: position in graph::inputs.
struct input {
  static constexpr op_kind kind = op_kind::input;
  static constexpr const char* name = "input";
};

/// attr.a: position in graph::shared.
struct shared {
  static constexpr op_kind kind = op_kind::shared;
  static constexpr const char* name = "shared";
};

}  // namespace kroton::ops
