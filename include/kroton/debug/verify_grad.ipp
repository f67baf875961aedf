// This file compares gradients with differences.
#pragma once

#include <kroton/debug/verify_grad.hpp>
#include <kroton/graph/gradient.hpp>
#include <kroton/graph/ops.hpp>
#include <kroton/runtime/reference/extents.hpp>

namespace kroton::debug {

/// A tensor of numbers in [0.5, 1.5).
inline reference_tensor drawn_tensor(reference::uniform_numbers& draw, std::vector<std::int64_t> extents) {
  reference_tensor t{std::move(extents), {}};
  t.values.resize(reference::size_of(t.extents));
  for (double& v : t.values) v = 0.5 + draw();
  return t;
}

/// Adds to `g` the projection sum(u * output) over all floating-point outputs, with an input u for each,
/// which is appended to `inputs`; makes it the only output.
inline term project(graph& g, std::vector<reference_tensor>& inputs, reference::uniform_numbers& draw,
                    const reference::extent_values& extents) {
  term total = constant(g, dtype::float64, 0);
  for (int id : g.outputs) {
    const node n = g.nodes[id];
    if (!is_floating(n.type)) continue;
    const int position = g.inputs.size();
    g.inputs.push_back({"projection", n.type, n.shape, -1, {}});
    const term u{&g, g.add(op<ops::input>, n.type, n.shape, {position, 0, 0}, nullptr, 0)};
    inputs.push_back(drawn_tensor(draw, extents(g.shapes[n.shape])));
    const term product = u * term{&g, id};
    total = total + cast(sum(product, all_axes(product.rank())), dtype::float64);
  }
  g.outputs.clear();
  g.outputs.push_back(total.id);
  g.updates.clear();
  return total;
}

/// Compares the gradients of a captured graph, and changes the graph.
KROTON_DEFINITION gradient_report verify_graph(graph& g, std::vector<reference_tensor> inputs,
                                               const verify_options& options) {
  reference::uniform_numbers draw(options.seed);
  std::vector<reference_tensor> shared = options.shared;
  if (shared.empty() && !g.shared.empty()) {
    const reference::extent_values known(g, inputs, {});
    for (const variable& v : g.shared) {
      shared.push_back(drawn_tensor(draw, known(g.shapes[v.shape])));
      if (!is_floating(v.type))
        for (double& x : shared.back().values) x = 0;
    }
  }
  const std::size_t given = inputs.size();
  const term cost = project(g, inputs, draw, reference::extent_values(g, inputs, shared));

  struct place {
    reference_tensor* tensor;
    std::string name;
  };
  std::vector<place> places;
  array_list<term> variables;
  for (int i = 0; i < static_cast<int>(given); ++i) {
    const variable v = g.inputs[i];
    if (!is_floating(v.type)) continue;
    variables.push_back({&g, g.add(op<ops::input>, v.type, v.shape, {i, 0, 0}, nullptr, 0)});
    places.push_back({&inputs[static_cast<std::size_t>(i)], std::string(std::string_view(name_of_argument(g, i)))});
  }
  for (int i = 0; i < g.shared.size(); ++i) {
    const variable v = g.shared[i];
    if (!is_floating(v.type)) continue;
    variables.push_back({&g, g.add(op<ops::shared>, v.type, v.shape, {i, 0, 0}, nullptr, 0)});
    places.push_back(
        {&shared[static_cast<std::size_t>(i)], message("shared variable ", std::string_view(name_of_shared(g, i)))});
  }

  const auto cost_now = [&] { return reference::interpret(g, inputs, shared).outputs[0].values[0]; };
  std::vector<std::vector<double>> measured;
  for (const place& p : places) {
    measured.emplace_back();
    for (double& x : p.tensor->values) {
      const double at = x, h = options.step * std::max(1.0, std::abs(at));
      x = at + h;
      const double up = x, above = cost_now();
      x = at - h;
      const double down = x, below = cost_now();
      x = at;
      measured.back().push_back((above - below) / (up - down));
    }
  }

  const array_list<term> gradient = gradients(cost, variables);
  g.outputs.clear();
  for (const term& t : gradient) g.outputs.push_back(t.valid() ? t.id : cost.id);
  const reference::results derived = reference::interpret(g, inputs, shared);

  gradient_report report;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool connected = gradient[static_cast<int>(i)].valid();  // a gradient that is not there stands for zeros
    std::size_t at = 0;
    reference::for_each_index(places[i].tensor->extents, [&](const reference::index_list& index) {
      const double a = connected ? derived.outputs[i].values[at] : 0, b = measured[i][at];
      ++at;
      const double wrong = std::abs(a - b) / std::max({1.0, std::abs(a), std::abs(b)});
      const bool fails = !(wrong <= options.tolerance);  // NaN too
      if (report.ok ? fails || wrong > report.max_error : wrong > report.max_error || wrong != wrong) {
        report.max_error = wrong, report.derived = a, report.measured = b;
        report.where = message(places[i].name, " at ", reference::text_of(index));
      }
      report.ok = report.ok && !fails;
    });
  }
  return report;
}

}  // namespace kroton::debug
