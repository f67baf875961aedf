// This header makes a table of all buffers of a function for given extents, which f.memory_plan returns.
//
//     f.memory_plan(batch(32))  ->  a row "exp %2  float32  (32, 8)  1024  1-2  session" for a temporary of exp
#pragma once

#include <kroton/arithmetic/indexed.hpp>
#include <kroton/graph/names.hpp>
#include <kroton/passes/place.hpp>
#include <kroton/runtime/program/memory_sizes.hpp>

#include <string>

namespace kroton::runtime {

/// A buffer of a function. Steps are counted from 1.
struct planned_buffer {
  std::string name;   ///< such as `argument 1`, `W1`, `output 1`, `tanh`: a variable, or the operation that computes it
  std::string place;  ///< name of a context, `host`, or `session`
  dtype type = dtype::float32;
  std::vector<std::int64_t> extents;
  std::int64_t bytes = 0;
  std::int64_t offset = -1;  ///< in the arena of its place; -1: it is no temporary, or lies where another buffer lies
  int first = 0, last = 0;   ///< the first and the last step that need it
  std::vector<int> shares_with;  ///< positions of the buffers that use some of the same memory
};

/// The memory that a call with certain extents takes, exactly; `f.memory_plan(batch(1024))` returns it.
class memory_table {
 public:
  std::vector<planned_buffer> buffers;
  std::int64_t peak = 0;  ///< bytes of temporaries, of all places

  std::string text() const;
};

/// The facts about a buffer that are known before the extents of a call.
struct buffer_facts {
  name_text name;
  const char* place = "";
  shape extents;
};

/// The facts about all buffers of the program `Code::value`, whose nodes are those of `Source::value`. They are
/// constants, so that the graph does not exist at run time.
template <class Code, class Source>
inline constexpr auto facts_of_buffers = [] {
  constexpr const auto& program = Code::value;
  constexpr const auto& nodes = Source::value;
  indexed_array<buffer_facts, program.size.buffers> every{};
  for (std::size_t i = 0; i < every.size(); ++i) {
    const buffer& b = program.buffers[i];
    name_text& name = every[i].name;
    every[i].place = place_text(nodes.places, b.place);
    if (b.is_workspace) every[i].extents.append(b.elements);
    else every[i].extents = nodes.shapes[b.node >= 0 ? nodes.nodes[b.node].shape : nodes.shared[b.index].shape];
    if (b.kind == buffer_kind::input) {
      name = name_of_argument(nodes, b.index);
    } else if (b.kind == buffer_kind::shared) {
      name = name_of_shared(nodes, b.index);
      if (b.node >= 0 && nodes.nodes[b.node].op->kind != op_kind::shared) name += ", new";
    } else {
      if (b.kind == buffer_kind::output) ((name += "output ") += b.index + 1) += " ";
      ((name += b.name) += " %") += b.node;
      if (b.is_workspace) name += ", workspace";
    }
  }
  return every;
}();

/// The table of a program with these values of its symbols, as an executor that takes memory of these `sizes` would run
/// it. `known`: the facts about each buffer; `places`: the names of the places.
memory_table make_memory_table(const plan_view& plan, const memory_sizes& sizes, const buffer_facts* known,
                               const place_name* const* places, const std::int64_t* symbols);

}  // namespace kroton::runtime

namespace kroton {
using runtime::memory_table;
using runtime::planned_buffer;
}  // namespace kroton

#if KROTON_HAS_DEFINITIONS
#include <kroton/runtime/program/memory_table.ipp>
#endif
