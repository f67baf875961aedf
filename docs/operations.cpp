// Prints docs/operations.md, the table of kernels, from what operations say of themselves; `docs/check --update` writes
// it, `docs/check` compares.
#include <kroton/graph/gradient.hpp>
#include <kroton/graph/ops.hpp>

#include <cstdio>
#include <string>
#include <vector>

namespace kt = kroton;

namespace {

struct section {
  const char* title;
  std::vector<kt::graph::op_kind> kinds;
};
const section sections[] = {
    {"Elementwise", {kt::graph::op_kind::map}},
    {"Reductions", {kt::graph::op_kind::reduce}},
    {"Matrix products", {kt::graph::op_kind::dot}},
    {"Rows by index", {kt::graph::op_kind::take, kt::graph::op_kind::scatter_add}},
    {"Along an axis", {kt::graph::op_kind::routine}},
    {"Shapes",
     {kt::graph::op_kind::reshape, kt::graph::op_kind::transpose, kt::graph::op_kind::broadcast,
      kt::graph::op_kind::slice, kt::graph::op_kind::embed, kt::graph::op_kind::concatenate}},
    {"Sources",
     {kt::graph::op_kind::input, kt::graph::op_kind::shared, kt::graph::op_kind::constant, kt::graph::op_kind::extent,
      kt::graph::op_kind::iota}},
    {"Loops",
     {kt::graph::op_kind::loop_row, kt::graph::op_kind::loop_carried, kt::graph::op_kind::loop_rows,
      kt::graph::op_kind::loop_last}},
    {"Places", {kt::graph::op_kind::transfer}},
    {"Gradients", {kt::graph::op_kind::custom_gradient}},
};

template <class... Op>
std::vector<kt::graph::operation> described(kt::graph::operation_list<Op...>) {
  return {kt::graph::description_of<Op>...};
}
const std::vector<kt::graph::operation> operations = described(kt::graph::all_operations());

/// The backends that have a kernel.
std::string cell(const kt::graph::operation& op, kt::dtype type) {
  std::string text;
  for (int i = 0; i < kt::graph::backend_count; ++i)
    if (op.kernels.has(static_cast<kt::backend_kind>(i), type))
      (text += text.empty() ? "" : " ") += kt::name_of(static_cast<kt::backend_kind>(i));
  return text;
}
bool is_same_column(kt::dtype x, kt::dtype y) {
  for (const kt::graph::operation& op : operations)
    if (cell(op, x) != cell(op, y)) return false;
  return true;
}
/// The element types, together where a column would be that of the type before.
std::vector<std::vector<kt::dtype>> columns() {
  std::vector<std::vector<kt::dtype>> found;
  for (int i = 0; i < kt::arithmetic::dtype_count; ++i) {
    const auto type = static_cast<kt::dtype>(i);
    if (found.empty() || !is_same_column(found.back()[0], type)) found.emplace_back();
    found.back().push_back(type);
  }
  return found;
}

void print(const section& s, const std::vector<std::vector<kt::dtype>>& types) {
  std::printf("\n## %s\n\n| Operation |", s.title);
  for (const auto& column : types) {
    for (const kt::dtype type : column) std::printf(" %s", kt::name_of(type));
    std::printf(" |");
  }
  std::printf("\n|---|");
  for (std::size_t i = 0; i < types.size(); ++i) std::printf("---|");
  std::printf("\n");
  for (const kt::graph::operation& op : operations)
    for (const kt::graph::op_kind kind : s.kinds) {
      if (op.kind != kind) continue;
      std::printf("| `%s` |", op.name);
      for (const auto& column : types) std::printf(" %s |", cell(op, column[0]).c_str());
      std::printf("\n");
    }
}

}  // namespace

int main() {
  std::printf("%s",
              "# Operations and their kernels\n\n"
              "For each operation of a graph and each element type, the backends that have a kernel: `host`, `cuda`, "
              "and `reference`, the interpreter that\n"
              "`kt::debug::verify` compares with. Where a cell is empty there is none, and a function that needs one "
              "does not compile: there is no fallback. An operation\n"
              "that is placed on the host (`kt::transfer<kt::host>`) needs a kernel there; others may run on a device "
              "or on the host, as contexts are mapped, and in a\n"
              "file with `kroton/cuda.hpp` need both.\n\n"
              "The element type is that of the operands. Conditions are `bool`, indices any integers; a `cast` needs a "
              "kernel for both of its types. `float16` is `kt::half`.\n"
              "Products and scatters of 16-bit floats are computed in `float32`. Some operations are made by the "
              "library alone: by gradients (`embed`, `scatter_add`, `after`), by what\n"
              "takes indices (`index_check`, `iota`), by means (`extent`), and by passes (`copy`, `gemm`). Functions "
              "such as `kt::nn::softmax` consist of several operations.\n\n"
              "This page is printed by [operations.cpp](operations.cpp) from the operations' own structs "
              "([graph/ops](../include/kroton/graph/ops)); `docs/check --update`\n"
              "writes it anew.\n");
  const auto types = columns();
  for (const section& s : sections) print(s, types);
}
