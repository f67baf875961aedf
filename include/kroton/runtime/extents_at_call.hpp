// The values of a function's symbolic extents, found from its arguments and checked before anything runs.
#pragma once

#include <kroton/passes/program.hpp>
#include <kroton/runtime/error.hpp>

#include <array>
#include <string>

namespace kroton {

/// `Count` symbols; no allocation, because this happens at every call.
template <int Count>
class call_extents {
 public:
  call_extents() {
    for (int i = 0; i <= Count; ++i) values[static_cast<std::size_t>(i)] = -1;
  }

  std::array<std::int64_t, static_cast<std::size_t>(Count) + 1> values;

  /// Argument `index` has extent `found` where its type says `code`; -1 is a shared variable.
  void note(const extent_symbol* symbols, extent_code code, std::int64_t found, int index, int axis) {
    if (code >= 0) {
      if (found != code)
        throw shape_error(message("kroton: argument ", index + 1, " has extent ", found, " along axis ", axis, ", expected ", code));
      return;
    }
    const auto at = static_cast<std::size_t>(-1 - code);
    if (values[at] >= 0 && values[at] != found)
      throw shape_error(message("kroton: dimension ", symbols[at].name ? symbols[at].name : "any", " is ", values[at], " in ",
                                holder(source_[at]), " but ", found, " in ", holder(index)));
    values[at] = found;
    source_[at] = index;
  }

  /// Derived symbols, in order, then the requirements.
  void finish(const extent_symbol* symbols, const requirement* requirements, int requirement_count) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(Count); ++i)
      if (symbols[i].kind >= extent_kind::sum) values[i] = derived_extent(symbols[i], values.data());
    for (int i = 0; i < requirement_count; ++i) {
      const requirement& r = requirements[i];
      using kind = requirement::kind;
      const std::int64_t a = value(r.a), b = value(r.b);
      if (r.what == kind::equal ? a != b : r.what == kind::at_most ? a > b : a <= 0)
        throw shape_error(message("kroton: ", r.operation, ": ", complain(symbols, r)));
    }
  }
  std::int64_t value(extent_code e) const { return e >= 0 ? e : values[static_cast<std::size_t>(-1 - e)]; }

 private:
  std::array<int, static_cast<std::size_t>(Count) + 1> source_{};

  static std::string holder(int index) { return index < 0 ? "a shared variable" : message("argument ", index + 1); }

  /// What is wrong with a requirement that does not hold.
  std::string complain(const extent_symbol* symbols, const requirement& r) const {
    const auto tell = [&](extent_code e) { return message(text(symbols, e), " is ", value(e)); };
    const auto last = [&](extent_code e) { return e < 0 ? message(text(symbols, e), ", which is ", value(e)) : std::to_string(e); };
    if (r.what == requirement::kind::positive) return "needs at least one element; pass tensors with elements";
    if (r.what == requirement::kind::at_most) {
      if (r.a == 0) return message(tell(r.b), ", but must not be negative");
      return message(r.a < 0 ? tell(r.a) : message("a bound is ", r.a), ", but must be at most ", last(r.b));
    }
    // a requirement has the more specific extent first, and of two alike the later
    const bool swapped = r.b >= 0;
    const extent_code found = swapped ? r.a : r.b, expected = swapped ? r.b : r.a;
    return message(tell(found), expected < 0 ? message(", but ", tell(expected)) : message(", but must be ", expected),
                   "; pass tensors that agree");
  }
  std::string text(const extent_symbol* symbols, extent_code e) const {
    if (e >= 0) return std::to_string(e);
    const extent_symbol& s = symbols[-1 - e];
    const auto both = [&](const char* sign) { return message("(", text(symbols, s.a), sign, text(symbols, s.b), ")"); };
    switch (s.kind) {
      case extent_kind::named: return message("dimension ", s.name);
      case extent_kind::free: return message("axis ", s.b, " of argument ", s.a + 1);
      case extent_kind::of_shared: return message("axis ", s.b, " of a shared variable");
      case extent_kind::scalar: return message("the value of argument ", s.a + 1);
      case extent_kind::sum: return both(" + ");
      case extent_kind::difference: return both(" - ");
      case extent_kind::product: return both(" * ");
      default: return both(" / ");
    }
  }
};

}  // namespace kroton
