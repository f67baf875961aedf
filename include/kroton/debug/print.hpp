// This header prints a compiled function: its nodes before and after the passes, and the kernels that run.
#pragma once

#include <kroton/warnings_off.hpp>

#include <kroton/kroton.hpp>

#include <iomanip>
#include <iostream>
#include <sstream>

namespace kroton::debug {

/// The text of an extent, such as "(batch*64)".
inline std::string extent_text(const extent_symbol* symbols, extent_code e) {
  if (e >= 0) return std::to_string(e);
  const extent_symbol& s = symbols[-1 - e];
  const auto both = [&](const char* sign) {
    return message("(", extent_text(symbols, s.a), sign, extent_text(symbols, s.b), ")");
  };
  switch (s.kind) {
    case extent_kind::named: return s.name;
    case extent_kind::free: return message("any", s.a + 1, ".", s.b);
    case extent_kind::of_shared: return message("shared", s.a + 1, ".", s.b);
    case extent_kind::scalar: return message("argument", s.a + 1);
    case extent_kind::sum: return both("+");
    case extent_kind::difference: return both("-");
    case extent_kind::product: return both("*");
    default: return both("/");
  }
}

inline std::string shape_text(const extent_symbol* symbols, const shape& s) {
  std::string text = "(";
  for (int i = 0; i < s.rank; ++i) text += (i > 0 ? ", " : "") + extent_text(symbols, s[i]);
  return message(text, ")");
}

/// Where a buffer lies: "argument 1", "shared W1", "output 1", "temporary 3", or "temporary 4 in output 1".
template <graph_size Size>
std::string buffer_text(const frozen_graph<Size>& g, const plan_view& plan, int i) {
  const buffer& b = plan.buffers[i];
  switch (b.kind) {
    case buffer_kind::input: return std::string(std::string_view(name_of_argument(g, b.index)));
    case buffer_kind::shared: return message("shared ", std::string_view(name_of_shared(g, b.index)));
    case buffer_kind::output: return message("output ", b.index + 1);
    default: break;
  }
  return b.lies_in < 0 ? message("temporary ", i) : message("temporary ", i, " in ", buffer_text(g, plan, b.lies_in));
}

/// Prints a line for each node: number, operation, element type, extents, the text of `annotation`, operands.
template <graph_size Size, class Annotation>
void print_nodes(std::ostream& out, const frozen_graph<Size>& g, const Annotation& annotation) {
  for (int id = 0; id < Size.nodes; ++id) {
    const node& n = g.nodes[id];
    std::ostringstream line;
    line << "  %" << std::left << std::setw(4) << id << std::setw(21) << n.op->name << std::setw(9) << name_of(n.type)
         << std::setw(20) << shape_text(g.symbols, g.shapes[n.shape]) << annotation(id);
    if (n.op->id == id_of<ops::constant>) {
      line << " ";
      if (is_floating(n.type)) line << constant_value(n);
      else if (n.type == dtype::uint64) line << static_cast<std::uint64_t>(constant_form::of(n.attr).bits);
      else line << constant_form::of(n.attr).bits;
    }
    if (n.op->id == id_of<ops::input>)
      line << " " << std::string_view(name_of_argument(g, variable_form::of(n.attr).position));
    if (n.op->id == id_of<ops::shared>)
      line << " " << std::string_view(name_of_shared(g, variable_form::of(n.attr).position));
    for (int i = 0; i < n.count; ++i) line << " %" << g.operands[n.first + i];
    out << line.str() << "\n";
  }
  for (int i = 0; i < Size.outputs; ++i) out << "  output " << i + 1 << " = %" << g.outputs[i] << "\n";
  for (int i = 0; i < Size.updates; ++i)
    out << "  " << std::string_view(name_of_shared(g, g.updates[i].target)) << " <- %" << g.updates[i].source << "\n";
}

/// Prints the same, with the kernel that computes each node and the buffer that holds it. A node whose value stays
/// inside a fused kernel has no buffer.
template <class Source>
void print_placed_nodes(std::ostream& out, const plan_view& plan) {
  constexpr const auto& f = Source::value;
  graph g;
  thaw(f, g);
  lowering lowered(g, grouped<Source>::value, viewed<Source>::value.of);
  lowered.run();
  print_nodes(out, f, [&](int id) {
    std::ostringstream text;
    const int step = lowered.step_of(id), buffer = lowered.buffer_of(id);
    text << std::left << std::setw(10) << (step < 0 ? "" : message("kernel ", step + 1)) << " " << std::setw(24)
         << (buffer < 0 ? "" : buffer_text(f, plan, buffer));
    return text.str();
  });
}

/// Prints each step: kind, space, operations, and the buffers that it reads and writes.
template <class Code, graph_size Size>
void print_steps(std::ostream& out, const frozen_graph<Size>& g) {
  constexpr const auto& program = Code::value;
  constexpr const char* kinds[] = {"map",  "rows",        "columns", "full",    "matrix product",
                                   "take", "scatter_add", "routine", "transfer"};
  for (int i = 0; i < program.size.steps; ++i) {
    const step& s = program.steps[i];
    out << "  kernel " << i + 1 << ": " << kinds[static_cast<int>(s.kind)] << " over "
        << shape_text(program.symbols, s.space);
    if (s.segments > 1) out << ", " << s.segments << " segments";
    if (s.is_done) out << ", nothing to do";
    if (program.size.places > 1) out << " in " << place_text(g.places, s.place);
    out << ":";
    for (int j = s.first_instruction; j < s.first_instruction + s.instructions; ++j)
      if (program.instructions[j].op->id != no_operation.id) out << " " << program.instructions[j].op->name;
    out << "\n    on ";
    for (int a = s.first_access; a < s.first_access + s.accesses; ++a) {
      const int b = program.accesses[a].buffer;
      out << (a > s.first_access ? ", " : "") << (b < 0 ? "an index" : buffer_text(g, program, b));
    }
    out << "\n";
  }
}

/// Prints the nodes of `f` before and after the passes, a line for each (number, operation, element type, extents,
/// after the passes also kernel and buffer, operands), the number of nodes that each pass leaves, and the kernels with
/// the buffers that they use: `kt::debug::print(f)`.
template <class Function, class Backend>
void print(const compiled_function<Function, Backend>&, std::ostream& out = std::cout) {
  using facts = function_stats<Function, Backend>;
  constexpr const auto& after = facts::source::value;
  out << "captured: " << facts::nodes_before << " nodes\n";
  print_nodes(out, captured<Function>::value, [](int) { return ""; });
  out << "passes:";
  compiled_function<Function, Backend>::passes::for_each_graph(
      [&](const char* name, int nodes) { out << ' ' << name << ' ' << nodes; });
  out << " nodes\noptimised: " << facts::nodes_after << " nodes\n";
  print_placed_nodes<typename facts::source>(out, facts::code::value);
  out << "runs: " << facts::launches << " launches, " << facts::gemms << " of them matrix products, " << facts::kernels
      << " different fused kernels\n";
  print_steps<typename facts::code>(out, after);
}
/// Prints nothing for a function that was refused.
template <class Function>
void print(const refused_function<Function>&, std::ostream& = std::cout) {}

}  // namespace kroton::debug

#include <kroton/warnings_back.hpp>
