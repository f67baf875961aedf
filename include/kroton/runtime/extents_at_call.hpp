// This header finds the values of a function's symbolic extents from its arguments, and checks them before anything
// runs.
//
//     x (batch, 3) and y (batch), called with (32, 3) and (31)  ->  shape_error: batch is 32 in argument 1, 31 in 2
#pragma once

#include <kroton/graph/names.hpp>
#include <kroton/passes/program.hpp>
#include <kroton/runtime/context/error.hpp>
#include <kroton/arithmetic/indexed.hpp>

#include <string>
#include <vector>

namespace kroton::runtime {

/// `W is 300, but uint8 holds 0 to 255`, and the same of a view with elements and a null pointer.
std::string text_of_misfit(std::string_view what, const message_part& given, dtype type);
std::string text_of_null(std::string_view what);
/// Throws shape_error: `what` is a view with elements and a null pointer.
[[noreturn]] void refuse_null(std::string_view what);
/// Throws value_error: `what` is given a number that `type` cannot hold.
[[noreturn]] void refuse_number(std::string_view what, const message_part& given, dtype type);

/// The names of the arguments, `argument 1`, and shared variables of a function.
struct variable_names {
  list_view<name_text> arguments, shared;
};

/// The values of the symbols of a function. The object is made once for a function, so that calls allocate nothing.
class call_extents {
 public:
  call_extents(const plan_view& plan, const variable_names& names);

  void begin();
  /// Notes that argument `index`, whose type has the shape `s`, has the extents `found`. Shared variables have the
  /// indices -1, -2, ...
  void note(const shape& s, const std::int64_t* found, int index);
  /// Takes dimensions that are not known yet from a shared variable that the function does not use. Its other
  /// dimensions need not agree with the variables that the function uses.
  void complete(const shape& s, const std::int64_t* found);
  /// Notes the value of the scalar argument `index`, which may be the bound of a slice.
  void note_scalar(int index, std::int64_t number);
  /// Computes derived symbols, in order, and then checks the requirements.
  void finish();

  std::int64_t value(extent_code e) const { return extent_value(e, values_.data()); }
  const std::int64_t* values() const { return values_.data(); }

 private:
  plan_view plan_;
  variable_names names_;
  indexed_vector<std::int64_t> values_;  // of the symbols, -1: not known yet
  std::vector<int> source_;              // the argument that a value came from

  [[noreturn]] void refuse(extent_code code, std::int64_t found, int index, int axis) const;
  std::string holder(int index) const;
  std::string argument_name(std::int64_t i) const;
  std::string shared_name(std::int64_t i) const;
  std::string complain(const requirement& r) const;
  std::string text(extent_code e) const;
};

}  // namespace kroton::runtime

#if KROTON_HAS_DEFINITIONS
#include <kroton/runtime/extents_at_call.ipp>
#endif
