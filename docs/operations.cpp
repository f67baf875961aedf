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
  std::vector<kt::op_kind> kinds;
};
const section sections[] = {
    {"Elementwise", {kt::op_kind::map}},
    {"Reductions", {kt::op_kind::reduce}},
    {"Matrix products", {kt::op_kind::dot}},
    {"Rows by index", {kt::op_kind::take, kt::op_kind::scatter_add}},
    {"Along an axis", {kt::op_kind::routine}},
    {"Shapes",
     {kt::op_kind::reshape, kt::op_kind::transpose, kt::op_kind::broadcast, kt::op_kind::slice, kt::op_kind::embed,
      kt::op_kind::concatenate}},
    {"Sources",
     {kt::op_kind::input, kt::op_kind::shared, kt::op_kind::constant, kt::op_kind::extent, kt::op_kind::iota}},
    {"Places", {kt::op_kind::transfer}},
};

template <class... Op>
std::vector<kt::operation> described(kt::operation_list<Op...>) {
  return {kt::description_of<Op>...};
}
const std::vector<kt::operation> operations = described(kt::all_operations());

/// The backends that have a kernel.
std::string cell(const kt::operation& op, kt::dtype type) {
  std::string text;
  for (int i = 0; i < kt::backend_count; ++i)
    if (op.kernels.has(static_cast<kt::backend_kind>(i), type))
      (text += text.empty() ? "" : " ") += kt::name_of(static_cast<kt::backend_kind>(i));
  return text;
}
bool is_same_column(kt::dtype x, kt::dtype y) {
  for (const kt::operation& op : operations)
    if (cell(op, x) != cell(op, y)) return false;
  return true;
}
/// The element types, together where a column would be that of the type before.
std::vector<std::vector<kt::dtype>> columns() {
  std::vector<std::vector<kt::dtype>> found;
  for (int i = 0; i < kt::dtype_count; ++i) {
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
  for (const kt::operation& op : operations)
    for (const kt::op_kind kind : s.kinds) {
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
              "library alone: by gradients (`embed`, `scatter_add`), by what\n"
              "takes indices (`index_check`, `iota`), by means (`extent`), and by passes (`copy`, `gemm`). Functions "
              "such as `kt::nn::softmax` consist of several operations.\n\n"
              "This page is printed by [operations.cpp](operations.cpp) from the operations' own structs "
              "([graph/ops](../include/kroton/graph/ops)); `docs/check --update`\n"
              "writes it anew.\n");
  const auto types = columns();
  for (const section& s : sections) print(s, types);
}
