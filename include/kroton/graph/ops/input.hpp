// This header has the operations input and shared: arguments of the function and shared variables of the model.
#pragma once

#include <kroton/graph/term.hpp>

namespace kroton::ops {

/// Attributes: variable_form.
struct input {
  static constexpr op_kind kind = op_kind::input;
  static constexpr const char* name = "input";
};

/// Attributes: variable_form.
struct shared {
  static constexpr op_kind kind = op_kind::shared;
  static constexpr const char* name = "shared";
};

}  // namespace kroton::ops
