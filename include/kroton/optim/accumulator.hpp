// This header adds up gradients over several calls, for batches that are computed in parts.
#pragma once

#include <kroton/optim/optimiser.hpp>

namespace kroton::optim {

/// Sums of gradients, as a block: `kt::optim::accumulator gradients{this};`, after the parameters. One function adds
/// the gradients of a part of a batch, another makes a step with their mean and begins anew:
///
///     kt::outputs(cost).updates(gradients.add(cost, parameters()))
///     kt::updates(optimiser(gradients.mean(parameters()), parameters(), rate), gradients.clear(parameters()))
class accumulator : public kept_for_parameters {
 public:
  constexpr explicit accumulator(model* parent, const char* name = "accumulator")
      : kept_for_parameters(parent, name, "parts", {"sum"}) {}

  /// The updates that add the gradients of a cost, or a list of gradients.
  template <class C>
  constexpr auto add(const C& cost, const parameter_list& parameters, unsigned line = __builtin_LINE()) const {
    update_list list;
    constexpr complaint problem = optimiser_problem<C, double>();
    if constexpr (problem != complaint::none) {
      reject<problem, accumulator, C>();
      if constexpr (expression<C>) typed_layer::refused<typename C::expression>(cost);
    } else if (kroton::graph::graph* const g = graph_of_step(cost, parameters); g != nullptr) {
      const gradient_list gradients = gradients_of(cost, parameters, line);
      if (!fits(gradients, parameters, *g, line)) return list;
      list.add(count(), count() + 1);
      for (int i = 0; i < gradients.size(); ++i)
        if (const term sum = kept(0, parameters.items[i], line); sum.valid())
          list.add(sum, sum + cast(gradients[i], sum.type()));
    }
    return list;
  }
  /// The means of the gradients that were added, for an optimiser; zeros, if none were.
  constexpr gradient_list mean(const parameter_list& parameters, unsigned line = __builtin_LINE()) const {
    gradient_list means({}, parameters.items);
    for (const term& p : parameters.items) {
      const term sum = kept(0, p, line);
      means.push_back(sum.valid() ? cast(sum / cast(maximum(count(), 1), sum.type()), p.type()) : p);
    }
    return means;
  }
  /// The updates that begin anew.
  constexpr update_list clear(const parameter_list& parameters, unsigned line = __builtin_LINE()) const {
    update_list list;
    list.add(count(), kroton::graph::constant(captured(), dtype::int64, 0));
    for (const term& p : parameters.items) {
      const term sum = kept(0, p, line);
      if (!sum.valid()) return list;
      const shape s = sum.extents();  // a copy, because new nodes move the graph's shapes
      list.add(sum, kroton::graph::broadcast_term(kroton::graph::constant(captured(), sum.type(), 0), s));
    }
    return list;
  }
};

}  // namespace kroton::optim
