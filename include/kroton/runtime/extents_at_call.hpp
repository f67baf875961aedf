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

  /// Argument `index` has extent `found` where its type says `code`.
  void note(const extent_symbol* symbols, extent_code code, std::int64_t found, int index, int axis) {
    if (code >= 0) {
      if (found != code)
        throw shape_error("kroton: argument " + std::to_string(index + 1) + " has extent " + std::to_string(found) +
                          " along axis " + std::to_string(axis) + ", expected " + std::to_string(code));
      return;
    }
    const auto at = static_cast<std::size_t>(-1 - code);
    if (values[at] >= 0 && values[at] != found)
      throw shape_error("kroton: dimension " + std::string(symbols[at].name ? symbols[at].name : "any") + " is " +
                        std::to_string(values[at]) + " in argument " + std::to_string(source_[at]) + " but " +
                        std::to_string(found) + " in argument " + std::to_string(index + 1));
    values[at] = found;
    source_[at] = index + 1;
  }

  /// Derived symbols, in order, then the requirements.
  void finish(const extent_symbol* symbols, const requirement* requirements, int requirement_count) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(Count); ++i)
      if (symbols[i].kind >= extent_kind::sum) values[i] = derived_extent(symbols[i], values.data());
    for (int i = 0; i < requirement_count; ++i) {
      const requirement& r = requirements[i];
      const std::int64_t a = value(r.a), b = value(r.b);
      const std::string where = std::string("kroton: ") + r.operation + ": ";
      if (r.what == requirement::kind::equal && a != b)
        throw shape_error(where + "extents " + std::to_string(a) + " and " + std::to_string(b) + " must be equal");
      if (r.what == requirement::kind::at_most && a > b)
        throw shape_error(where + "the bound " + std::to_string(a) + " lies beyond " + std::to_string(b));
      if (r.what == requirement::kind::positive && a <= 0)
        throw shape_error(where + "needs at least one element");
    }
  }
  std::int64_t value(extent_code e) const { return e >= 0 ? e : values[static_cast<std::size_t>(-1 - e)]; }

 private:
  std::array<int, static_cast<std::size_t>(Count) + 1> source_{};
};

}  // namespace kroton
