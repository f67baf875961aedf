// This file has the reference interpreter, which evaluates each operation.
#pragma once

#include <kroton/graph/ops.hpp>
#include <kroton/arithmetic/indexed.hpp>
#include <kroton/runtime/reference/extents.hpp>
#include <kroton/runtime/reference/inexact.hpp>
#include <kroton/runtime/reference/interpreter.hpp>
#include <kroton/runtime/reference/products.hpp>
#include <kroton/runtime/reference/reductions.hpp>
#include <kroton/runtime/reference/routine.hpp>

#include <map>

namespace kroton::reference {

class interpreter {
 public:
  interpreter(const graph& g, std::span<const reference_tensor> inputs, std::span<const reference_tensor> shared,
              const options& o)
      : graph_(g), inputs_(inputs), shared_(shared), options_(o), extents_(g, inputs, shared), noise_(o.noise) {}

  results run() {
    std::vector<int> roots(graph_.outputs.begin(), graph_.outputs.end());
    for (const update_entry& u : graph_.updates) roots.push_back(u.source);
    evaluate(roots);
    results r;
    for (int id : graph_.outputs) r.outputs.push_back(value(id)), r.exact_outputs.push_back(is_exact(id));
    for (const update_entry& u : graph_.updates)
      r.updates.push_back(value(u.source)), r.exact_updates.push_back(is_exact(u.source));
    return r;
  }

  /// Finds the values of these nodes and of all that they need.
  void evaluate(const std::vector<int>& roots) {
    indexed_vector<bool> needed(graph_.size(), false);
    for (int id : roots) needed[id] = true;
    for (int id = graph_.size() - 1; id >= 0; --id)
      if (needed[id])
        for (int i = 0; i < graph_.nodes[id].count; ++i) needed[graph_.operand(id, i)] = true;
    values_.resize(needed.size());
    exact_.resize(needed.size());
    for (int id = 0; id < graph_.size(); ++id)
      if (needed[id] && graph_.nodes[id].loops == 0) evaluate(id);
  }
  const reference_tensor& value(int id) const { return values_[id]; }
  /// Lets element `i` of node `id` be another number than it is computed to be, in what is evaluated from now on.
  void replace(int id, std::size_t i, double by) { replaced_ = {id, i, by}; }
  /// The sources of a node whose elements are elements of its operands, or 0: for each element its position in the
  /// operand `x`, counted from 1, or 0 if it is from elsewhere. They are found by evaluating the node with positions as
  /// the elements of `x`.
  reference_tensor sources(int id, int x) {
    const node& n = graph_.nodes[id];
    std::vector<std::pair<int, reference_tensor>> before{{id, value(id)}};
    for (int i = 0; i < n.count; ++i) {
      const int operand = graph_.operand(id, i);
      if (!is_floating(graph_.nodes[operand].type)) continue;
      before.emplace_back(operand, value(operand));
      reference_tensor& t = values_[operand];
      for (std::size_t at = 0; at < t.values.size(); ++at)
        t.values[at] = operand == x ? static_cast<double>(at + 1) : 0;
    }
    evaluate(id);
    reference_tensor found = value(id);
    for (std::size_t i = before.size(); i-- > 0;) values_[before[i].first] = std::move(before[i].second);
    return found;
  }

 private:
  bool is_exact(int id) const { return exact_[id]; }
  operand_values operands(const node& n) const { return {graph_, n, values_}; }
  const reference_tensor& operand(const node& n, int i) const { return operands(n)[i]; }
  dtype operand_type(const node& n, int i) const { return graph_.nodes[graph_.operands[n.first + i]].type; }

  void evaluate(int id) {
    const node& n = graph_.nodes[id];
    if (is_loop_result(n.op->kind)) return evaluate_loop(id);
    reference_tensor& y = values_[id];
    y.extents = extents_(graph_.shape_of(id));
    y.values.assign(size_of(y.extents), 0);
    if (is_integer(n.type)) y.integers.assign(y.values.size(), 0);
    exact_[id] = !is_floating(n.type);
    for (int i = 0; i < n.count; ++i)
      if (!is_exact(graph_.operands[n.first + i])) exact_[id] = false;
    switch (n.op->kind) {
      case op_kind::input: copy_all(y, inputs_[variable_form::of(n.attr).position]); break;
      case op_kind::shared: copy_all(y, given_shared(n)); break;
      case op_kind::constant:
        if (is_floating(n.type)) y.values[0] = constant_value(n);
        else put(n.type, y, 0, constant_form::of(n.attr).bits);
        break;
      case op_kind::extent: put(n.type, y, 0, extents_(extent_form::of(n.attr).extent)); break;
      case op_kind::iota:
        for (std::size_t i = 0; i < y.values.size(); ++i) put(n.type, y, i, static_cast<std::int64_t>(i));
        break;
      case op_kind::map: map(n, y); break;
      case op_kind::reduce: reduce(n, y); break;
      case op_kind::reshape:
      case op_kind::custom_gradient:
      case op_kind::transfer: copy_all(y, operand(n, 0)); break;
      case op_kind::transpose: transpose(n, operand(n, 0), y); break;
      case op_kind::broadcast: broadcast(operand(n, 0), y); break;
      case op_kind::slice: slice(n, extents_, operand(n, 0), y); break;
      case op_kind::embed: embed(n, extents_, operand(n, 0), y); break;
      case op_kind::concatenate: concatenate(operands(n), y); break;
      case op_kind::dot: dot(operands(n), y); break;
      case op_kind::take: take(operand(n, 0), operand(n, 1), y); break;
      case op_kind::scatter_add: scatter_add(operands(n), y); break;
      case op_kind::routine: routine(n, y); break;
      case op_kind::loop_row: loop_row(n, y); break;
      case op_kind::loop_carried: loop_carried(n, y); break;
      default:
        throw error(message("kroton: the reference interpreter does not know the operation ", n.op->name,
                            "; give it a value in runtime/reference/interpreter.ipp"));
    }
    if (id == replaced_.node) y.values[replaced_.at] = replaced_.by;
    if (rounds_to_float(n))
      for (double& v : y.values) v = static_cast<double>(static_cast<float>(v));
    if (options_.noise != 0 && is_inexact(n)) {
      const double unit = rounds_to_float(n) ? 0x1p-22 : 0x1p-51;
      for (double& v : y.values) v *= 1 + unit * noise_of_result();
    }
  }

  bool rounds_to_float(const node& n) const { return options_.round_to_float && n.type == dtype::float32; }
  /// The noise of a result, from -1 to 1.
  double noise_of_result() { return options_.noise == 1 ? 1 : options_.noise == 2 ? -1 : 2 * noise_() - 1; }

  const reference_tensor& given_shared(const node& n) const {
    if (shared_.empty())
      throw shape_error(message("kroton: the function reads shared variable ",
                                std::string_view(name_of_shared(graph_, variable_form::of(n.attr).position)),
                                ", which was not given; pass its value"));
    return shared_[variable_form::of(n.attr).position];
  }

  void map(const node& n, reference_tensor& y) {
    if (n.op->id == id_of<ops::cast>) return cast(n, y);
    if (n.op->id == id_of<ops::index_check>)
      check_indices(operand_type(n, 0), operand(n, 0), extents_(extent_form::of(n.attr).extent));
    const dtype type = operand_type(n, n.count - 1);  // the first operand may be a condition
    const bool takes_bits = n.op->reference_of_bits != nullptr;
    std::size_t at = 0;
    indexed_vector<double> x(n.count);
    indexed_vector<std::int64_t> integers(n.count);
    for_each_index(y.extents, [&](const index_list& index) {
      for (int i = 0; i < n.count; ++i) {
        const reference_tensor& from = operand(n, i);
        const std::size_t position = offset(from.extents, index);
        x[i] = from.values[position];
        if (is_integer(type) || (takes_bits && i == 0)) integers[i] = from.integer(position);
      }
      if (takes_bits) y.values[at] = n.op->reference_of_bits(static_cast<std::uint64_t>(integers[0]), x.data() + 1);
      else if (is_integer(type) && !is_floating(n.type))
        put(n.type, y, at, n.op->integer_reference(type, integers.data(), n.count));
      else y.values[at] = n.op->reference(type, x.data(), n.count);
      ++at;
    });
  }

  /// Casts as cast.hpp defines them.
  void cast(const node& n, reference_tensor& y) {
    const reference_tensor& x = operand(n, 0);
    const dtype from = operand_type(n, 0);
    const bool stays_double = n.type == dtype::float32 && !options_.round_to_float;
    for (std::size_t i = 0; i < y.values.size(); ++i) {
      if (is_floating(from) && is_floating(n.type))
        y.values[i] = computed_in(n.type) == n.type ? x.values[i] : rounded(n.type, x.values[i]);
      else if (is_floating(from)) put(n.type, y, i, saturated(n.type, x.values[i]));
      else if (is_floating(n.type))
        y.values[i] = rounded_integer(from, stays_double ? dtype::float64 : n.type, x.integer(i));
      else put(n.type, y, i, x.integer(i));
    }
  }

  void reduce(const node& n, reference_tensor& y) {
    const reference_tensor& x = operand(n, 0);
    const std::vector<std::vector<std::size_t>> groups = reduced_groups(n, x.extents, y.extents);
    const dtype type = operand_type(n, 0);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      std::vector<double> values;
      std::vector<std::int64_t> integers;
      for (std::size_t position : groups[i]) {
        if (is_integer(type)) integers.push_back(x.integer(position));
        else values.push_back(x.values[position]);
      }
      if (options_.noise != 0 && n.op->id == id_of<ops::prod>)
        multiply_rounded(values, rounds_to_float(n), options_.noise % 2 == 0);
      if (is_integer(type)) put(n.type, y, i, reduced_integer(n, type, integers));
      else if (y.values[i] = reduced_value(n, type, values); is_integer(n.type))
        put(n.type, y, i, static_cast<std::int64_t>(y.values[i]));
    }
  }

  void routine(const node& n, reference_tensor& y) {
    std::vector<routine_elements> operands;
    for (int i = 0; i < n.count; ++i) operands.emplace_back(operand_type(n, i), operand(n, i));
    routine_elements result(n.type, y);
    run_routine(n, operands, result);
    if (is_floating(n.type)) y.values = std::move(result.numbers());
    else
      for (std::size_t i = 0; i < y.values.size(); ++i) put(n.type, y, i, result.integer(i));
  }

  /// The iteration that a loop has come to.
  std::int64_t& time(const node& n) { return time_[loop_row_form::loop_number(n.attr)]; }

  void loop_row(const node& n, reference_tensor& y) {
    const loop_row_form form = loop_row_form::of(n.attr);
    copy_row(y, operand(n, 0), extents_(form.first) + (form.goes_back ? -time(n) : time(n)));
  }
  void loop_carried(const node& n, reference_tensor& y) {
    const loop_carried_form form = loop_carried_form::of(n.attr);
    const std::int64_t at = time(n) - form.back;
    if (at < 0) return copy_row(y, operand(n, 0), at + form.kept);
    y = made_[{form.loop, form.number}][static_cast<std::size_t>(at)];
  }

  /// Runs all iterations of the loop of result `id`, and keeps what this result needs.
  void evaluate_loop(int id) {
    const node& n = graph_.nodes[id];
    const bool has_rows = n.op->kind == op_kind::loop_rows;
    const int loop = loop_row_form::loop_number(n.attr);
    const int guard = kroton::graph::guard_of(graph_, n);
    const bool runs = guard < 0 || value(guard).values[0] != 0;
    const std::int64_t iterations = runs ? extents_(loop_result_form::of(n.attr).iterations) : 0;
    indexed_vector<bool> inside(graph_.size(), false);  // what the result needs of the body
    inside[id] = true;
    for (int x = id; x >= 0; --x)
      for (int i = 0; inside[x] && i < graph_.nodes[x].count; ++i) {
        const int operand = graph_.operand(x, i);
        inside[operand] = inside[operand] || (graph_.nodes[operand].loops & kroton::graph::set_of_loop(loop)) != 0;
      }
    std::vector<int> body;
    for (int x = 0; x < id; ++x)
      if (inside[x]) body.push_back(x);
    reference_tensor result{extents_(graph_.shape_of(id)), {}, {}};
    result.values.assign(size_of(result.extents), 0);
    if (is_integer(n.type)) result.integers.assign(result.values.size(), 0);
    const int first = first_carried(n.op->kind);
    const auto history = [&](int i) -> std::vector<reference_tensor>& {
      const loop_carried_form form = loop_carried_form::of(graph_.nodes[graph_.operand(id, i)].attr);
      return made_[{form.loop, form.number}];
    };
    for (int i = first; i + 1 < n.count; i += 2) history(i).clear();
    const loop_set running = running_;
    running_ |= kroton::graph::set_of_loop(loop);
    bool exact = !is_floating(n.type);
    for (time(n) = 0; time(n) < iterations; ++time(n)) {
      for (const int x : body)
        if ((graph_.nodes[x].loops & ~running_) == 0) evaluate(x);
      if (has_rows) {
        const reference_tensor& row = operand(n, 0);
        const std::int64_t at = loop_rows_form::of(n.attr).reversed ? iterations - 1 - time(n) : time(n);
        for (std::size_t j = 0; j < row.values.size(); ++j)
          copy(result, static_cast<std::size_t>(at) * row.values.size() + j, row, j);
        exact = exact && is_exact(graph_.operand(id, 0));
      }
      for (int i = first; i + 1 < n.count; i += 2) history(i).push_back(operand(n, i + 1));
    }
    if (!has_rows) {
      const node& carried = graph_.nodes[graph_.operand(id, 0)];
      const std::int64_t at = iterations - loop_last_form::of(n.attr).back;
      if (at < 0) copy_row(result, operand(carried, 0), at + loop_carried_form::of(carried.attr).kept);
      else result = history(0)[static_cast<std::size_t>(at)];
      exact = exact && is_exact(graph_.operands[carried.first]) && (iterations == 0 || is_exact(graph_.operand(id, 1)));
    }
    running_ = running;
    if (id == replaced_.node) result.values[replaced_.at] = replaced_.by;
    values_[id] = std::move(result);
    exact_[id] = exact;
  }

  const graph& graph_;
  indexed_span<const reference_tensor> inputs_, shared_;
  options options_;
  extent_values extents_;
  uniform_numbers noise_;
  indexed_vector<reference_tensor> values_;
  indexed_vector<bool> exact_;
  struct {
    int node = -1;
    std::size_t at = 0;
    double by = 0;
  } replaced_;
  std::int64_t time_[kroton::graph::most_loops] = {};
  loop_set running_ = 0;  // the loops whose iterations are being evaluated
  /// What carried variables, by loop and number, were after each iteration.
  std::map<std::pair<int, int>, std::vector<reference_tensor>> made_;
};

KROTON_DEFINITION results interpret(const graph& g, std::span<const reference_tensor> inputs,
                                    std::span<const reference_tensor> shared, const options& o) {
  return interpreter(g, inputs, shared, o).run();
}

}  // namespace kroton::reference
