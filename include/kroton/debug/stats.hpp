// This header prints facts about a function as a table: `std::cout << kt::debug::stats(f, batch(128))`.
#pragma once

#include <kroton/warnings_off.hpp>

#include <kroton/kroton.hpp>

#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace kroton::debug {

/// A table whose rows have a name and a number.
struct stats_table {
  struct row {
    const char* name;
    std::int64_t value;
  };
  static constexpr std::size_t name_width = 27;
  std::vector<row> rows;
  friend std::ostream& operator<<(std::ostream& out, const stats_table& table) {
    std::size_t widest = 0;
    for (const row& each : table.rows) widest = std::max(widest, std::to_string(each.value).size());
    for (const row& each : table.rows) {
      const std::string number = std::to_string(each.value);
      out << std::string(each.name).append(name_width - std::string_view(each.name).size() + widest - number.size(),
                                           ' ')
          << number << "\n";
    }
    return out;
  }
};

/// The facts that are the same for all extents.
template <class Function, class Backend>
stats_table table_of(const function_stats<Function, Backend>& facts) {
  return {{{"nodes as captured", facts.nodes_before},
           {"nodes after the passes", facts.nodes_after},
           {"launches", facts.launches},
           {"matrix products", facts.gemms},
           {"different fused kernels", facts.kernels}}};
}
/// The same facts, and those that depend on extents.
template <class Function, class Backend, class... Tag>
stats_table table_with_extents(const function_stats<Function, Backend>& facts, extent_value_of<Tag>... given) {
  stats_table table = table_of(facts);
  table.rows.push_back({"floating-point operations", facts.flops(given...)});
  table.rows.push_back({"bytes read and written", facts.bytes(given...)});
  table.rows.push_back({"peak bytes of temporaries", facts.peak_bytes(given...)});
  return table;
}

/// Facts about a compiled function with these values of its named dimensions, to be printed: nodes before and after the
/// passes, launches, matrix products and fused kernels among them, floating-point operations, bytes that kernels read
/// and write, and peak bytes of temporaries.
template <class Function, class Backend, class... Tag>
stats_table stats(const compiled_function<Function, Backend>&, extent_value_of<Tag>... given) {
  return table_with_extents(function_stats<Function, Backend>(), given...);
}
/// The table of a function that was refused is empty.
template <class Function, class... Tag>
stats_table stats(const refused_function<Function>&, extent_value_of<Tag>...) {
  return {};
}
/// The same facts about a model's member function: `kt::debug::stats<&digits::train>(batch(128))`.
template <auto Member, class Scope = scope_of<Member>, class... Tag>
stats_table stats(extent_value_of<Tag>... given) {
  return table_with_extents(kroton::stats<Member, Scope>(), given...);
}

}  // namespace kroton::debug

namespace kroton::runtime {

/// Prints the facts that need no extents: `std::cout << kt::stats<&digits::train>()`. If all extents of the function
/// are numbers, it prints all facts.
template <class Function, class Backend>
std::ostream& operator<<(std::ostream& out, const function_stats<Function, Backend>& facts) {
  if constexpr (function_stats<Function, Backend>::template problem<> == typed::complaint::none)
    return out << debug::table_with_extents(facts);
  else return out << debug::table_of(facts);
}

}  // namespace kroton::runtime

#include <kroton/warnings_back.hpp>
