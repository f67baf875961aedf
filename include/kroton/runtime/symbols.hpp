// This header computes the symbolic extents of a function from values of its named dimensions, in constant expressions.
#pragma once

#include <kroton/expr/check.hpp>
#include <kroton/expr/extents.hpp>
#include <kroton/passes/memory.hpp>

namespace kroton::runtime {

/// Values of all symbols of the program `Code::value`.
template <class Code>
struct symbol_values {
  static constexpr const auto& program = call_plan_of<Code>;
  std::int64_t values[program.size.symbols + 1] = {};

  /// Marks the symbols that an extent is computed from.
  static constexpr void mark(extent_code e, bool* marked) {
    if (e >= 0 || marked[-1 - e]) return;
    marked[-1 - e] = true;
    const extent_symbol& s = program.symbols[-1 - e];
    if (!is_derived(s.kind)) return;
    mark(s.a, marked);
    mark(s.b, marked);
  }
  /// The mistake in the values of these dimensions. A model can have further dimensions, which the function does not
  /// use.
  template <class... Tag>
  static constexpr complaint problem = [] {
    bool needed[program.size.symbols + 1] = {};
    for (int i = 0; i < program.size.buffers; ++i) mark(program.buffers[i].elements, needed);
    const std::int64_t given[] = {code_of<Tag>..., 0};
    int found = 0;
    bool is_right = true, is_known = true;
    for (int i = 0; i < program.size.symbols; ++i) {
      const extent_symbol& s = program.symbols[i];
      if (!needed[i] || is_derived(s.kind)) continue;
      is_known = is_known && s.kind == extent_kind::named;
      int times = 0;
      for (std::size_t k = 0; k != sizeof...(Tag); ++k) times += s.kind == extent_kind::named && s.a == given[k];
      found += times;
      is_right = is_right && times == 1;
    }
    if (!is_known) return complaint::extents_at_call;
    return found != static_cast<int>(sizeof...(Tag)) ? complaint::dimension
           : is_right                                ? complaint::none
                                                     : complaint::dimension_values;
  }();

  template <class... Tag>
  constexpr explicit symbol_values(extent_value_of<Tag>... given) {
    [[maybe_unused]] const auto assign = [&]<class T>(extent_value_of<T> v) {
      for (int i = 0; i < program.size.symbols; ++i)
        if (program.symbols[i].kind == extent_kind::named && program.symbols[i].a == code_of<T>) values[i] = v.value;
    };
    (assign(given), ...);
    derive_extents(program.symbols, program.size.symbols, values);
  }
  constexpr std::int64_t operator()(extent_code e) const { return extent_value(e, values); }
};

/// Bytes of the arenas of the program `Code::value` for these extents, of all places together.
template <class Code, class... Tag>
constexpr std::int64_t arena_bytes(extent_value_of<Tag>... given) {
  constexpr const auto& program = call_plan_of<Code>;
  const symbol_values<Code> value(given...);
  std::int64_t bytes[program.size.buffers + 1] = {}, offsets[program.size.buffers + 1] = {};
  for (int i = 0; i < program.size.buffers; ++i)
    bytes[i] = value(program.buffers[i].elements) * size_of(program.buffers[i].type);
  std::int64_t total = 0;
  for (int place = 0; place < program.size.places; ++place)
    total += plan_arena(program.buffers, program.size.buffers, static_cast<place_id>(place), bytes, offsets);
  return total;
}

namespace literals {
constexpr std::int64_t operator""_KiB(unsigned long long n) { return static_cast<std::int64_t>(n) << 10; }
constexpr std::int64_t operator""_MiB(unsigned long long n) { return static_cast<std::int64_t>(n) << 20; }
constexpr std::int64_t operator""_GiB(unsigned long long n) { return static_cast<std::int64_t>(n) << 30; }
}  // namespace literals

}  // namespace kroton::runtime

namespace kroton {
/// Numbers of bytes: `using namespace kt::literals;` and then `64_MiB`.
namespace literals = runtime::literals;
}  // namespace kroton
