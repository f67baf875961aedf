// This file finds the values of symbolic extents, and has the messages for extents that do not fit.
#pragma once

#include <kroton/runtime/extents_at_call.hpp>

#include <algorithm>
#include <limits>

namespace kroton::runtime {

[[gnu::cold]] KROTON_DEFINITION std::string text_of_null(std::string_view what) {
  return message(what, " has elements, but its pointer is null; pass a view of memory");
}
[[gnu::cold]] KROTON_DEFINITION void refuse_null(std::string_view what) {
  throw shape_error(message("kroton: ", text_of_null(what)));
}
[[gnu::cold]] KROTON_DEFINITION std::string text_of_misfit(std::string_view what, const message_part& given,
                                                           dtype type) {
  return with_element(type, [&]<class T>() {
    using limits = std::numeric_limits<T>;
    const auto holds = [&](const auto&... range) {
      return message(what, " is ", given, ", but ", name_of(type), " holds ", range...);
    };
    if constexpr (std::is_same_v<T, bool>) return holds("0 and 1");
    else if constexpr (is_floating(dtype_of<T>)) return holds("at most ", static_cast<double>(limits::max()));
    else return holds(+limits::min(), " to ", +limits::max());
  });
}
[[gnu::cold]] KROTON_DEFINITION void refuse_number(std::string_view what, const message_part& given, dtype type) {
  throw value_error(message("kroton: ", text_of_misfit(what, given, type)));
}

[[gnu::cold]] KROTON_DEFINITION call_extents::call_extents(const plan_view& plan, const variable_names& names)
    : plan_(plan), names_(names), values_(plan.symbols.size()), source_(plan.symbols.size()) {}

KROTON_DEFINITION void call_extents::begin() { std::fill(values_.begin(), values_.end(), -1); }

KROTON_DEFINITION void call_extents::note(const shape& s, const std::int64_t* found, int index) {
  for (int axis = 0; axis < s.rank; ++axis) {
    const extent_code code = s[axis];
    if (found[axis] < 0)
      throw shape_error(message("kroton: ", holder(index), " has extent ", found[axis], " along axis ", axis,
                                "; extents are 0 or more"));
    if (code >= 0) {
      if (found[axis] != code) refuse(code, found[axis], index, axis);
      continue;
    }
    const auto at = static_cast<std::size_t>(-1 - code);
    if (values_[at] >= 0 && values_[at] != found[axis]) refuse(code, found[axis], index, axis);
    values_[at] = found[axis];
    source_[at] = index;
  }
}
KROTON_DEFINITION void call_extents::complete(const shape& s, const std::int64_t* found) {
  for (int axis = 0; axis < s.rank; ++axis)
    if (s[axis] < 0 && values_[-1 - s[axis]] < 0) values_[-1 - s[axis]] = found[axis];
}
KROTON_DEFINITION void call_extents::note_scalar(int index, std::int64_t number) {
  for (std::size_t i = 0; i < values_.size(); ++i)
    if (plan_.symbols[i].kind == extent_kind::scalar && plan_.symbols[i].a == index) values_[i] = number;
}
KROTON_DEFINITION void call_extents::finish() {
  derive_extents(plan_.symbols.data(), static_cast<int>(values_.size()), values_.data());
  for (const requirement& r : plan_.requirements) {
    if (r.holds(value(r.a), value(r.b))) continue;
    const std::string text = message("kroton: ", r.operation, ": ", complain(r));
    if (r.what == requirement::kind::fits) throw value_error(text);
    throw shape_error(text);
  }
}
[[gnu::cold]] KROTON_DEFINITION void call_extents::refuse(extent_code code, std::int64_t found, int index,
                                                          int axis) const {
  if (code >= 0)
    throw shape_error(
        message("kroton: ", holder(index), " has extent ", found, " along axis ", axis, ", expected ", code));
  const auto at = static_cast<std::size_t>(-1 - code);
  const char* name = plan_.symbols[at].name;
  throw shape_error(message("kroton: dimension ", name != nullptr ? name : "any", " is ", values_[at], " in ",
                            holder(source_[at]), " but ", found, " in ", holder(index),
                            index < 0 ? "; session.resize changes it" : ""));
}

[[gnu::cold]] KROTON_DEFINITION std::string call_extents::holder(int index) const {
  return index < 0 ? shared_name(-1 - index) : argument_name(index);
}
[[gnu::cold]] KROTON_DEFINITION std::string call_extents::argument_name(std::int64_t i) const {
  return std::string(std::string_view(names_.arguments[i]));
}
[[gnu::cold]] KROTON_DEFINITION std::string call_extents::shared_name(std::int64_t i) const {
  return message("shared variable ", std::string_view(names_.shared[i]));
}

/// The message for a requirement that does not hold.
[[gnu::cold]] KROTON_DEFINITION std::string call_extents::complain(const requirement& r) const {
  const auto tell = [&](extent_code e) { return message(text(e), " is ", value(e)); };
  const auto last = [&](extent_code e) {
    return e < 0 ? message(text(e), ", which is ", value(e)) : std::to_string(e);
  };
  if (r.what == requirement::kind::fits)
    return message(tell(r.a), ", but must be at most ", r.b, " for its element type");
  if (r.what == requirement::kind::positive) return "needs at least one element; pass tensors with elements";
  if (r.what == requirement::kind::at_most) {
    if (r.a == 0) return message(tell(r.b), ", but must not be negative");
    return message(r.a < 0 ? tell(r.a) : message("a bound is ", r.a), ", but must be at most ", last(r.b));
  }
  // a requirement has its more specific extent first; of two extents that are alike, the later one
  const bool swapped = r.b >= 0;
  const extent_code found = swapped ? r.a : r.b, expected = swapped ? r.b : r.a;
  return message(tell(found), expected < 0 ? message(", but ", tell(expected)) : message(", but must be ", expected),
                 "; pass tensors that agree");
}
[[gnu::cold]] KROTON_DEFINITION std::string call_extents::text(extent_code e) const {
  if (e >= 0) return std::to_string(e);
  const extent_symbol& s = plan_.symbols[-1 - e];
  const auto both = [&](const char* sign) { return message("(", text(s.a), sign, text(s.b), ")"); };
  switch (s.kind) {
    case extent_kind::named: return message("dimension ", s.name);
    case extent_kind::free: return message("axis ", s.b, " of ", argument_name(s.a));
    case extent_kind::of_shared: return message("axis ", s.b, " of ", shared_name(s.a));
    case extent_kind::scalar: return message("the value of ", argument_name(s.a));
    case extent_kind::sum: return both(" + ");
    case extent_kind::difference: return both(" - ");
    case extent_kind::product: return both(" * ");
    default: return both(" / ");
  }
}

}  // namespace kroton::runtime
