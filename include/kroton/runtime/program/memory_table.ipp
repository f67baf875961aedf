// This file makes the table of a function's buffers, and its text.
#pragma once

#include <kroton/runtime/context/error.hpp>
#include <kroton/runtime/program/memory_table.hpp>

#include <algorithm>

namespace kroton::runtime {

[[gnu::cold]] KROTON_DEFINITION std::string memory_table::text() const {
  return within_memory([&] {
    std::vector<std::vector<std::string>> lines{
        {"buffer", "type", "extents", "bytes", "steps", "place", "shares memory with"}};
    for (const planned_buffer& b : buffers) {
      std::string others;
      for (int other : b.shares_with)
        others += (others.empty() ? "" : ", ") + buffers[static_cast<std::size_t>(other)].name;
      lines.push_back({b.name, name_of(b.type), text_of_extents(b.extents), std::to_string(b.bytes),
                       message(b.first, "-", b.last), b.place, others});
    }
    std::vector<std::size_t> widths(lines[0].size());
    for (const auto& line : lines)
      for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
    std::string every;
    for (const auto& line : lines) {
      std::string row;
      for (std::size_t i = 0; i < line.size(); ++i) {
        const std::string padding(widths[i] - line[i].size(), ' ');
        row += i == 3 ? padding + line[i] + "  " : line[i] + padding + "  ";
      }
      every += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
    }
    return every + message("peak of temporaries: ", peak, " bytes\n");
  });
}

[[gnu::cold]] KROTON_DEFINITION memory_table make_memory_table(const plan_view& plan, const memory_sizes& sizes,
                                                               const buffer_facts* all_known,
                                                               const place_name* const* places,
                                                               const std::int64_t* symbols) {
  memory_table table;
  for (std::int64_t arena : sizes.arenas) table.peak += arena;
  const int count = static_cast<int>(plan.buffers.size());
  for (int i = 0; i < count; ++i) {
    const buffer& b = plan.buffers[i];
    const buffer_facts& known = all_known[i];
    planned_buffer made{std::string(std::string_view(known.name)),
                        known.place,
                        b.type,
                        {},
                        sizes.bytes[i],
                        sizes.offsets[i],
                        b.first + 1,
                        b.last + 1,
                        {}};
    for (int axis = 0; axis < known.extents.rank; ++axis)
      made.extents.push_back(extent_value(known.extents[axis], symbols));
    for (int j = 0; j < count; ++j)
      if (i != j && sizes.overlap(plan, i, j)) made.shares_with.push_back(j);
    table.buffers.push_back(std::move(made));
  }
  const auto add = [&](const char* name, std::size_t place, std::int64_t bytes, std::int64_t offset) {
    if (bytes > 0)
      table.buffers.push_back({name,
                               place_text(places, static_cast<place_id>(place)),
                               dtype::uint8,
                               {bytes},
                               bytes,
                               offset,
                               1,
                               static_cast<int>(plan.steps.size()),
                               {}});
  };
  add("next arguments", sizes.argument_place, sizes.argument_step, sizes.next_arguments);
  for (std::size_t p = 0; p < sizes.workspaces.size(); ++p)
    add("workspace", p, sizes.workspaces[p].bytes, sizes.workspaces[p].offset);
  return table;
}

}  // namespace kroton::runtime
