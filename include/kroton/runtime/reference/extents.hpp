// This header finds the values of a graph's extents from its arguments, and checks the requirements of the graph.
#pragma once

#include <kroton/graph/names.hpp>
#include <kroton/runtime/context/error.hpp>
#include <kroton/runtime/reference/tensor.hpp>

#include <span>
#include <utility>

namespace kroton::reference {

/// The values of all symbols of the graph's extent table.
class extent_values {
 public:
  /// Arguments count from 1 in messages. `shared` may be empty; then extents that only shared variables have get no
  /// value.
  extent_values(const graph& g, indexed_span<const reference_tensor> inputs,
                indexed_span<const reference_tensor> shared)
      : graph_(g), values_(g.extents.symbols.size(), 0), known_(values_.size(), false), source_(values_.size()) {
    check_count("arguments", inputs.size(), g.inputs.size());
    if (!shared.empty() || g.shared.empty()) check_count("shared variables", shared.size(), g.shared.size());
    for (int i = 0; i < g.inputs.size(); ++i)
      read(g.inputs[i], inputs[i], std::string(std::string_view(name_of_argument(g, i))));
    for (int i = 0; i < static_cast<int>(shared.size()); ++i)
      read(g.shared[i], shared[i], message("shared variable ", std::string_view(name_of_shared(g, i))));
    for (int i = 0; i < g.extents.symbols.size(); ++i) compute(i, inputs);
    for (const requirement& r : g.extents.requirements) check(r);
  }

  std::int64_t operator()(extent_code e) const {
    if (e >= 0) return e;
    const std::int64_t i = at(e);
    if (!known_[i])
      throw shape_error(message("kroton: ", describe(e), " has no value: no argument carries it; pass one that does"));
    return values_[i];
  }
  index_list operator()(const shape& s) const {
    index_list extents;
    for (int axis = 0; axis < s.rank; ++axis) extents.push_back((*this)(s[axis]));
    return extents;
  }

 private:
  static std::int64_t at(extent_code e) { return -1 - e; }

  static void check_count(const char* what, std::size_t found, int expected) {
    if (std::cmp_not_equal(found, expected))
      throw shape_error(message("kroton: ", found, " ", what, " given, but the function has ", expected,
                                "; pass one tensor for each"));
  }

  std::string describe(extent_code e) const {
    if (e >= 0) return std::to_string(e);
    const extent_symbol& s = graph_.extents.symbol(e);
    switch (s.kind) {
      case extent_kind::named: return message("dimension ", s.name);
      case extent_kind::free: return message("axis ", s.b, " of ", argument_name(s.a));
      case extent_kind::of_shared:
        return message("axis ", s.b, " of shared variable ",
                       std::string_view(name_of_shared(graph_, static_cast<int>(s.a))));
      case extent_kind::scalar: return message("the value of ", argument_name(s.a));
      default: return "a computed extent";
    }
  }

  std::string argument_name(std::int64_t i) const {
    return std::string(std::string_view(name_of_argument(graph_, static_cast<int>(i))));
  }

  void read(const variable& v, const reference_tensor& tensor, const std::string& who) {
    const shape& s = graph_.shapes[v.shape];
    if (std::cmp_not_equal(s.rank, tensor.extents.size()))
      throw shape_error(
          message("kroton: ", who, " has ", tensor.extents.size(), " axes but ", s.rank, " are expected; reshape it"));
    for (int axis = 0; axis < s.rank; ++axis) {
      const std::int64_t found = tensor.extents[axis];
      if (s[axis] >= 0 && found != s[axis])
        throw shape_error(message("kroton: axis ", axis, " of ", who, " is ", found, " but ", s[axis],
                                  " is expected; pass a tensor of that extent"));
      if (s[axis] >= 0) continue;
      const std::int64_t i = at(s[axis]);
      if (known_[i] && values_[i] != found)
        throw shape_error(message("kroton: ", describe(s[axis]), " is ", values_[i], " in ", source_[i], " but ", found,
                                  " in ", who, "; pass tensors that agree"));
      if (!known_[i]) values_[i] = found, known_[i] = true, source_[i] = who;
    }
    if (size_of(tensor.extents) != tensor.values.size())
      throw shape_error(message("kroton: ", who, " has ", tensor.values.size(), " values but its extents ",
                                text_of(tensor.extents), " need ", size_of(tensor.extents)));
  }

  void compute(int i, indexed_span<const reference_tensor> inputs) {
    const extent_symbol& s = graph_.extents.symbols[i];
    if (s.kind == extent_kind::scalar) {
      values_[i] = inputs[s.a].integer(0), known_[i] = true;
    } else if (is_derived(s.kind)) {
      known_[i] = (s.a >= 0 || known_[at(s.a)]) && (s.b >= 0 || known_[at(s.b)]);
      if (known_[i]) values_[i] = derived_extent(s, values_.data());
    }
  }

  void check(const requirement& r) const {
    const auto open = [&](extent_code e) { return e < 0 && !known_[at(e)]; };
    if (open(r.a) || open(r.b))
      return;  // the extent is that of a node that is not needed, or of a shared variable
               // that is not given
    const std::int64_t a = (*this)(r.a), b = (*this)(r.b);
    const auto tell = [&](extent_code e) {
      return e < 0 ? message(describe(e), " is ", (*this)(e)) : std::to_string(e);
    };
    if (r.what == requirement::kind::equal && a != b)
      throw shape_error(message("kroton: ", r.operation, ": ", tell(r.b), ", but must equal: ", tell(r.a),
                                "; pass tensors that agree"));
    if (r.what == requirement::kind::at_most && a > b)
      throw shape_error(message("kroton: ", r.operation, ": ", tell(r.a), ", but must be at most: ", tell(r.b),
                                "; choose bounds inside the tensor"));
    if (r.what == requirement::kind::fits && a > b)
      throw value_error(
          message("kroton: ", r.operation, ": ", tell(r.a), ", but must be at most ", b, " for its element type"));
    if (r.what == requirement::kind::positive && a <= 0)
      throw shape_error(
          message("kroton: ", r.operation, ": ", tell(r.a), ", but must be positive; pass tensors with elements"));
  }

  const graph& graph_;
  indexed_vector<std::int64_t> values_;
  indexed_vector<bool> known_;
  indexed_vector<std::string> source_;  // the argument from which each symbol was read
};

}  // namespace kroton::reference
