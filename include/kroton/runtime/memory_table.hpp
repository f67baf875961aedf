// Every buffer of a function as a table, for given extents.
#pragma once

#include <kroton/graph/names.hpp>
#include <kroton/passes/place.hpp>
#include <kroton/runtime/memory_sizes.hpp>
#include <kroton/runtime/symbols.hpp>

#include <algorithm>
#include <array>
#include <string>

namespace kroton {

/// A buffer of a function. Steps are counted from 1.
struct planned_buffer {
  std::string name;                   ///< such as `argument 1`, `W1`, `output 1`, `tanh`: a variable, or the operation that computes it
  std::string place;                  ///< name of a context, `host`, or `session`
  dtype type = dtype::float32;
  std::vector<std::int64_t> extents;
  std::int64_t bytes = 0;
  std::int64_t offset = -1;           ///< in the arena of its place; -1: it is no temporary, or lies where another buffer lies
  int first = 0, last = 0;            ///< steps during which it is needed
  std::vector<int> shares_with;       ///< buffers that take some of the same memory, at other times or in turn
};

/// What `f.memory_plan(batch(1024))` returns: what a call with these extents takes, exactly.
class memory_table {
 public:
  std::vector<planned_buffer> buffers;
  std::int64_t peak = 0;  ///< bytes of temporaries, of all places

  std::string text() const {
    return within_memory([&] { return make_text(); });
  }

 private:
  std::string make_text() const {
    std::vector<std::vector<std::string>> lines{{"buffer", "type", "extents", "bytes", "steps", "place", "shares memory with"}};
    for (const planned_buffer& b : buffers) {
      std::string extents, others;
      for (std::int64_t e : b.extents) extents += (extents.empty() ? "" : ", ") + std::to_string(e);
      for (int other : b.shares_with) others += (others.empty() ? "" : ", ") + buffers[static_cast<std::size_t>(other)].name;
      lines.push_back({b.name, name_of(b.type), message("(", extents, ")"), std::to_string(b.bytes), message(b.first, "-", b.last), b.place, others});
    }
    std::vector<std::size_t> widths(lines[0].size());
    for (const auto& line : lines)
      for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
    std::string all;
    for (const auto& line : lines) {
      std::string row;
      for (std::size_t i = 0; i < line.size(); ++i) {
        const std::string padding(widths[i] - line[i].size(), ' ');
        row += i == 3 ? padding + line[i] + "  " : line[i] + padding + "  ";
      }
      all += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
    }
    return all + message("peak of temporaries: ", peak, " bytes\n");
  }
};

/// What is known of a buffer before extents are.
struct buffer_facts {
  name_text name;
  const char* place = "";
  shape extents;
};

/// Of all buffers of the program `Code::value`, whose nodes are those of `Source::value`; as constants, so that nothing of the graph is there at run time.
template <class Code, class Source>
inline constexpr auto facts_of_buffers = [] {
  constexpr const auto& program = Code::value;
  constexpr const auto& nodes = Source::value;
  std::array<buffer_facts, static_cast<std::size_t>(program.size.buffers)> all{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const buffer& b = program.buffers[i];
    name_text& name = all[i].name;
    all[i].place = place_text(nodes.places, b.place);
    all[i].extents = nodes.shapes[b.node >= 0 ? nodes.nodes[b.node].shape : nodes.shared[b.index].shape];
    if (b.kind == buffer_kind::input) {
      (name += "argument ") += b.index + 1;
    } else if (b.kind == buffer_kind::shared) {
      name = name_of_shared(nodes, b.index);
      if (b.node >= 0 && nodes.nodes[b.node].op->kind != op_kind::shared) name += ", new";
    } else {
      if (b.kind == buffer_kind::output) ((name += "output ") += b.index + 1) += " ";
      ((name += b.name) += " %") += b.node;
    }
  }
  return all;
}();

/// The table of the program `Code::value`, whose nodes are those of `Source::value`, as `executor` would run it.
template <class Code, class Source, class Executor, class... Tag>
memory_table make_memory_table(const Executor& executor, extent_value_of<Tag>... given) {
  const symbol_values<Code> values(given...);
  const plan_view plan(call_plan_of<Code>);
  const memory_sizes sizes = executor.sizes_for(values.values);
  memory_table table;
  for (std::int64_t arena : sizes.arenas) table.peak += arena;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const buffer& b = plan.buffers[i];
    const buffer_facts& known = facts_of_buffers<Code, Source>[i];
    planned_buffer made{std::string(std::string_view(known.name)), known.place, b.type, {}, sizes.bytes[i], sizes.offsets[i], b.first + 1, b.last + 1, {}};
    for (int axis = 0; axis < known.extents.rank; ++axis) made.extents.push_back(values(known.extents[axis]));
    for (std::size_t j = 0; j < plan.buffers.size(); ++j)
      if (i != j && sizes.overlap(plan, i, j)) made.shares_with.push_back(static_cast<int>(j));
    table.buffers.push_back(std::move(made));
  }
  const auto add = [&](const char* name, std::size_t place, std::int64_t bytes, std::int64_t offset) {
    if (bytes > 0)
      table.buffers.push_back({name, place_text(named_places<Source>.data(), static_cast<place_id>(place)), dtype::uint8, {bytes}, bytes, offset, 1, static_cast<int>(plan.steps.size()), {}});
  };
  add("next arguments", sizes.argument_place, sizes.argument_step, sizes.next_arguments);
  for (std::size_t p = 0; p < sizes.workspaces.size(); ++p) add("workspace", p, sizes.workspaces[p].bytes, sizes.workspaces[p].offset);
  return table;
}

}  // namespace kroton
