// This file has the backward run of the reference interpreter.
#pragma once

#include <kroton/arithmetic/indexed.hpp>
#include <kroton/runtime/reference/backward.hpp>
#include <kroton/runtime/reference/interpreter.hpp>
#include <kroton/runtime/reference/routine.hpp>
#include <kroton/runtime/reference/slope.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace kroton::reference {

/// An element of an adjoint.
struct adjoint_element {
  double value = 0, error = 0;  ///< the error is infinite where nothing is known
  bool is_reached = false;      ///< whether a gradient arrives at the element
};

/// The adjoints of one cost.
class backward_run {
 public:
  using elements = indexed_vector<adjoint_element>;

  /// `wanted`: for each node, whether its adjoint is needed.
  backward_run(const graph& g, interpreter& values, int cost, const indexed_vector<bool>& wanted)
      : graph_(g), values_(values), wanted_(wanted), adjoints_(wanted.size()) {
    for (std::size_t id = 0; id < wanted.size(); ++id)
      if (wanted[id]) adjoints_[id].resize(values.value(static_cast<int>(id)).values.size());
    adjoints_[cost].assign(1, {1, 0, true});
    for (int id = cost; id >= 0; --id)
      if (wanted[id]) go_back(id);
  }
  const elements& of(int id) const { return adjoints_[id]; }

 private:
  const graph& graph_;
  interpreter& values_;
  const indexed_vector<bool>& wanted_;
  indexed_vector<elements> adjoints_;

  /// Adds to an element of the adjoint of node `x`, if the adjoint is needed.
  void add(int x, std::size_t at, double value, double error) {
    if (!wanted_[x]) return;
    adjoint_element& a = adjoints_[x][at];
    a.is_reached = true;
    a.value += value;
    a.error += error + 0x1p-52 * std::abs(value);
    if (!std::isfinite(a.value) || std::isnan(a.error)) a.error = HUGE_VAL;
  }
  void add(int x, std::size_t at, const adjoint_element& seed, const slope& by) {
    add(x, at, seed.value * by.value, seed.error * std::abs(by.value) + std::abs(seed.value) * by.error);
  }

  void go_back(int id) {
    const node& n = graph_.nodes[id];
    if (!is_floating(n.type) || n.op->piecewise_constant || n.op->id == id_of<ops::disconnected_grad>) return;
    switch (n.op->kind) {
      case op_kind::map: return map(id);
      case op_kind::reduce: return reduce(id);
      case op_kind::dot: return dot(id);
      case op_kind::scatter_add: return scatter_add(id);
      case op_kind::routine: return routine(id);
      case op_kind::custom_gradient: return move(id, 0);
      default:
        for (int i = 0; i < n.count; ++i) move(id, i);
    }
  }

  void map(int id) {
    const node& n = graph_.nodes[id];
    indexed_vector<double> x(n.count);
    indexed_vector<std::size_t> from(n.count);
    std::size_t at = 0;
    for_each_index(values_.value(id).extents, [&](const index_list& index) {
      const adjoint_element seed = of(id)[at++];
      if (!seed.is_reached) return;
      for (int i = 0; i < n.count; ++i) {
        const reference_tensor& operand = values_.value(graph_.operand(id, i));
        from[i] = offset(operand.extents, index);
        x[i] = operand.values[from[i]];
      }
      if (n.op->id == id_of<ops::where>) {
        const int taken = x[0] != 0 ? 1 : 2;
        return add(graph_.operand(id, taken), from[taken], seed, {1, 0});
      }
      if (n.op->id == id_of<ops::standard_gamma>) {  // at the same place in the distribution, not of the same bits
        const double by = simd::gamma_slope(x[1], values_.value(id).values[at - 1]);
        return add(graph_.operand(id, 1), from[1], seed, {by, 1e-8 * std::abs(by)});
      }
      for (int i = 0; i < n.count; ++i) {
        const int operand = graph_.operand(id, i);
        if (wanted_[operand]) add(operand, from[i], hooked(n, seed), slope_of(n, x, i));
      }
    });
  }
  /// The gradient behind an operation that changes only gradients, such as grad_clip.
  static adjoint_element hooked(const node& n, adjoint_element seed) {
    if (n.op->id == id_of<ops::grad_clip>)
      seed.value = std::min(std::max(seed.value, clip_form::of(n.attr).low), clip_form::of(n.attr).high);
    return seed;
  }

  /// Goes back through an operation whose results are elements of its operands, or 0.
  void move(int id, int i) {
    const int x = graph_.operand(id, i);
    for (int j = 0; j < i; ++j)
      if (graph_.operand(id, j) == x) return;  // `x` was counted with operand j
    if (!wanted_[x]) return;
    const reference_tensor sources = values_.sources(id, x);
    for (std::size_t at = 0; at < sources.values.size(); ++at)
      if (const adjoint_element& seed = of(id)[at]; seed.is_reached && sources[at] > 0)
        add(x, static_cast<std::size_t>(sources[at]) - 1, seed.value, seed.error);
  }

  void reduce(int id) {
    const node& n = graph_.nodes[id];
    const int operand = graph_.operand(id, 0);
    const reference_tensor &x = values_.value(operand), &y = values_.value(id);
    std::vector<std::vector<std::size_t>> groups = reduced_groups(n, x.extents, y.extents);
    for (std::size_t at = 0; at < groups.size(); ++at) {
      const adjoint_element seed = of(id)[at];
      if (!seed.is_reached) continue;
      for (std::size_t i : groups[at]) {
        double by = HUGE_VAL;  // for a reduction that is not known here
        if (n.op->id == id_of<ops::sum>) by = 1;
        else if (n.op->id == id_of<ops::max> || n.op->id == id_of<ops::min>) by = x[i] == y[at] ? 1 : 0;
        else if (n.op->id == id_of<ops::prod>) {
          by = 1;
          for (std::size_t j : groups[at]) by *= j == i ? 1 : x[j];
        }
        if (by != 0 || n.op->id == id_of<ops::prod>) add(operand, i, seed, {by, 0});
      }
    }
  }

  /// Goes back through a product, which mixes all elements: an element that gets no gradient counts as 0.
  void dot(int id) {
    const int a = graph_.operand(id, 0), b = graph_.operand(id, 1);
    const reference_tensor &x = values_.value(a), &y = values_.value(b);
    std::size_t at = 0;
    for_each_index(values_.value(id).extents, [&](const index_list& index) {
      const adjoint_element seed = of(id)[at++];
      index_list row = index, column = index;
      for (std::int64_t k = 0; k < x.extents.back(); ++k) {
        row.back() = column[column.size() - 2] = k;
        const std::size_t i = matrix_offset(x, row), j = matrix_offset(y, column);
        add(a, i, seed, {y[j], 0});
        add(b, j, seed, {x[i], 0});
      }
    });
  }

  /// Goes back through a routine. Only the values of routines are known, so the elements of each operand are varied one
  /// by one, which takes five runs of the routine for each. If there are many elements, their gradient stays unknown.
  void routine(int id) {
    constexpr std::size_t most_varied = 512;
    const node& n = graph_.nodes[id];
    std::vector<routine_elements> operands;
    for (int i = 0; i < n.count; ++i) {
      const int x = graph_.operand(id, i);
      operands.emplace_back(graph_.nodes[x].type, values_.value(x));
    }
    for (int i = 0; i < n.count; ++i) {
      const int x = graph_.operand(id, i);
      const std::size_t count = values_.value(x).values.size();
      if (!is_floating(graph_.nodes[x].type) || !wanted_[x]) continue;
      for (std::size_t at = 0; at < count; ++at)
        if (count > most_varied) add(x, at, 0, HUGE_VAL);
        else vary(id, operands, i, at);
    }
  }
  /// Varies element `at` of operand `i`, and adds to its adjoint the gradients that arrive at the routine.
  void vary(int id, std::vector<routine_elements>& operands, int i, std::size_t at) {
    const node& n = graph_.nodes[id];
    double& element = operands[static_cast<std::size_t>(i)].numbers()[at];
    const double x = element, h = 1e-4 * std::max(1.0, std::abs(x));
    indexed_array<std::vector<double>, 5> results;
    for (int step = -2; step <= 2; ++step) {
      element = x + step * (h / 2);
      routine_elements result(n.type, values_.value(id));
      run_routine(n, operands, result);
      results[step + 2] = std::move(result.numbers());
    }
    element = x;
    for (std::size_t j = 0; j < of(id).size(); ++j) {
      const adjoint_element seed = of(id)[j];
      if (!seed.is_reached) continue;
      const five_values f{results[0][j], results[1][j], results[2][j], results[3][j], results[4][j]};
      add(graph_.operand(id, i), at, seed, difference(f, x, h));
    }
  }

  void scatter_add(int id) {
    const reference_tensor& index = values_.value(graph_.operand(id, 0));
    const int rows = graph_.operand(id, 1);
    if (index.values.empty()) return;
    const std::size_t row = values_.value(rows).values.size() / index.values.size();
    for (std::size_t i = 0; i < index.values.size(); ++i)
      for (std::size_t j = 0; j < row; ++j)
        if (const adjoint_element seed = of(id)[static_cast<std::size_t>(index.integer(i)) * row + j]; seed.is_reached)
          add(rows, i * row + j, seed.value, seed.error);
  }
};

/// Compares the gradients of one cost, as they were captured, with those of the backward run.
class gradient_check {
 public:
  gradient_check(const graph& g, std::span<const reference_tensor> inputs, std::span<const reference_tensor> shared,
                 int cost)
      : graph_(g), inputs_(inputs), shared_(shared), cost_(cost), wanted_(g.size()) {
    for (const gradient_entry& e : g.gradients)
      if (e.cost == cost) entries_.push_back(e), wanted_[e.variable] = true;
    for (int id = 0; id <= cost; ++id)
      for (int i = 0; i < g.nodes[id].count && is_floating(g.nodes[id].type); ++i)
        if (wanted_[g.operand(id, i)]) wanted_[id] = true;
    for (int id = cost + 1; id < g.size(); ++id) wanted_[id] = false;
    keep_what_the_cost_needs();
  }

  void append_wrong(std::vector<wrong_gradient>& every) {
    for (std::size_t run = 0; run < runs_.size(); ++run) runs_[run] = measured(run);
    for (std::size_t e = 0; e < entries_.size(); ++e) append_first_wrong(every, e);
  }

 private:
  struct element {
    double found;
    adjoint_element expected;
  };
  const graph& graph_;
  indexed_span<const reference_tensor> inputs_, shared_;
  int cost_;
  indexed_vector<bool> wanted_;
  std::vector<gradient_entry> entries_;
  std::array<std::vector<std::vector<element>>, 3> runs_;  // the elements of each gradient, in three runs; the first
                                                           // has no noise

  void keep_what_the_cost_needs() {
    indexed_vector<bool> needed(wanted_.size());
    needed[cost_] = true;
    for (const gradient_entry& e : entries_) needed[e.variable] = true;
    for (int id = cost_; id >= 0; --id)
      if (needed[id])
        for (int i = 0; i < graph_.nodes[id].count; ++i) needed[graph_.operand(id, i)] = true;
    for (std::size_t id = 0; id < wanted_.size(); ++id) wanted_[id] = wanted_[id] && needed[id];
    wanted_[cost_] = true;
  }
  std::vector<std::vector<element>> measured(std::uint64_t noise) const {
    options o;
    o.noise = noise;
    interpreter values(graph_, inputs_, shared_, o);
    std::vector<int> roots{cost_};
    for (const gradient_entry& e : entries_) roots.push_back(e.variable), roots.push_back(e.gradient);
    values.evaluate(roots);
    if (has_loops()) return by_differences(values, o);
    const backward_run run(graph_, values, cost_, wanted_);
    std::vector<std::vector<element>> every;
    for (const gradient_entry& e : entries_) {
      std::vector<element>& list = every.emplace_back();
      const reference_tensor& found = values.value(e.gradient);
      for (std::size_t i = 0; i < found.values.size(); ++i) list.push_back({found[i], run.of(e.variable)[i]});
    }
    return every;
  }

  /// Whether the cost depends on a variable through a loop, in which a node has another value in each iteration.
  bool has_loops() const {
    for (int id = 0; id <= cost_; ++id)
      if (wanted_[id] && graph_.nodes[id].loops != 0) return true;
    return false;
  }
  /// The elements of each gradient beside central differences of the cost, of at most 64 elements of each variable.
  std::vector<std::vector<element>> by_differences(interpreter& values, const options& o) const {
    std::vector<std::vector<element>> every;
    for (const gradient_entry& e : entries_) {
      std::vector<element>& list = every.emplace_back();
      const reference_tensor& found = values.value(e.gradient);
      const std::size_t count = std::min<std::size_t>(found.values.size(), 64);
      for (std::size_t i = 0; i < count; ++i) {
        const double x = values.value(e.variable)[i], step = 1e-4 * std::max(1.0, std::abs(x));
        const auto cost_at = [&](double by) {
          interpreter other(graph_, inputs_, shared_, o);
          other.replace(e.variable, i, x + by);
          other.evaluate(std::vector<int>{cost_});
          return other.value(cost_)[0];
        };
        const double near = (cost_at(step) - cost_at(-step)) / (2 * step),
                     far = (cost_at(2 * step) - cost_at(-2 * step)) / (4 * step);
        const double expected = (4 * near - far) / 3;
        list.push_back({found[i], {expected, 4 * std::abs(near - far) + 1e-6 * (1 + std::abs(expected)), true}});
      }
    }
    return every;
  }

  bool is_wrong(std::size_t e, std::size_t at) const {
    const element& x = runs_[0][e][at];
    double error = 8 * x.expected.error + 1e-6 * std::abs(x.expected.value);
    for (const auto& run : runs_) {
      const element& y = run[e][at];
      if (y.expected.is_reached != x.expected.is_reached) return false;  // the gradient depends on rounding
      error += 4 * std::abs(y.expected.value - x.expected.value);
      if (std::isfinite(y.found) && std::isfinite(x.found)) error += 4 * std::abs(y.found - x.found);
    }
    if (!(error < HUGE_VAL)) return false;  // the gradient is not known
    return !(std::abs(x.found - x.expected.value) <= error);
  }
  void append_first_wrong(std::vector<wrong_gradient>& every, std::size_t e) const {
    for (std::size_t at = 0; at < runs_[0][e].size(); ++at) {
      if (!is_wrong(e, at)) continue;
      const element& x = runs_[0][e][at];
      every.push_back({message(name_of(entries_[e]), " at ", at), x.found, x.expected.value});
      return;
    }
  }
  std::string name_of(const gradient_entry& e) const {
    const auto position = std::find(graph_.gradients.begin(), graph_.gradients.end(), e) - graph_.gradients.begin();
    const node& n = graph_.nodes[e.variable];
    const std::string of =
        n.op->id == id_of<ops::input>
            ? message(" (of ", std::string_view(name_of_argument(graph_, variable_form::of(n.attr).position)), ")")
        : n.op->id == id_of<ops::shared>
            ? message(" (of ", std::string_view(name_of_shared(graph_, variable_form::of(n.attr).position)), ")")
            : "";
    return message("gradient ", position + 1, of);
  }
};

KROTON_DEFINITION std::vector<wrong_gradient> wrong_gradients(const graph& g, std::span<const reference_tensor> inputs,
                                                              std::span<const reference_tensor> shared) {
  std::vector<int> costs;
  for (const gradient_entry& e : g.gradients)
    if (std::find(costs.begin(), costs.end(), e.cost) == costs.end()) costs.push_back(e.cost);
  std::vector<wrong_gradient> every;
  for (int cost : costs) gradient_check(g, inputs, shared, cost).append_wrong(every);
  return every;
}

}  // namespace kroton::reference
