// This header has the base of optimisers: blocks that keep numbers of their own for each parameter, and make the
// updates of a training step.
//
//     kt::optim::adam optimiser{this};                                   a member, after the parameters that it trains
//     kt::outputs(cost).updates(optimiser(cost, parameters(), 0.001))    in a function of the model
#pragma once

#include <kroton/optim/clipping.hpp>
#include <kroton/optim/schedules.hpp>

#include <initializer_list>

namespace kroton {

namespace typed {
/// Whether `Rate` is a schedule: it makes a rate of the number of steps before this one.
template <class Rate>
concept schedule = requires(const Rate& rate, const expr<double, extents<>>& steps) {
  { rate(steps).untyped() } -> std::same_as<term>;
};
template <class C>
inline constexpr complaint cost_problem = complaint::none;
template <expression C>
inline constexpr complaint cost_problem<C> = grad_problem<C, parameter_list>();
/// The mistake in a cost, or a list of gradients, and a learning rate.
template <class C, class Rate>
constexpr complaint optimiser_problem() {
  if constexpr (!expression<C> && !std::is_same_v<C, gradient_list>) {
    return std::is_base_of_v<refused_expression, C> ? complaint::said : complaint::optimiser;
  } else if constexpr (cost_problem<C> != complaint::none) {
    return cost_problem<C>;
  } else if constexpr (schedule<Rate> || literal<Rate>) {
    return complaint::none;
  } else if constexpr (!expression<Rate>) {
    return complaint::optimiser;
  } else {
    if (Rate::rank != 0 || !is_floating(dtype_of<typename Rate::element>)) return complaint::optimiser;
    if constexpr (expression<C>)
      if (!std::is_same_v<typename Rate::element, typename C::element>) return complaint::optimiser;
    return complaint::none;
  }
}
/// Whether an optimiser is called with a cost, parameters and a rate, whatever these are.
template <class... X>
inline constexpr bool is_step = false;
template <class C, class Rate, class... Line>
inline constexpr bool is_step<C, parameter_list, Rate, Line...> = sizeof...(Line) < 2;
}  // namespace typed

namespace optim {

/// What an optimiser does with gradients first.
struct gradient_limits {
  double value = 0;  ///< elements are bounded as by clip_by_value; 0: they are not
  double norm = 0;   ///< the global norm is bounded as by clip_by_norm; 0: it is not
  constexpr bool are_in(const option_ranges& ranges) const {
    return ranges.not_negative("clip.value", value) && ranges.not_negative("clip.norm", norm);
  }
};

/// A rate as a scalar of the type in which it is needed.
template <class Rate>
class step_rate {
 public:
  /// `steps`: how many there were before this one, for a schedule. It is called with a double if a parameter is of
  /// double.
  constexpr step_rate(kroton::graph::graph& g, const Rate& rate, const parameter_list& parameters, const term& steps,
                      unsigned line)
      : graph_(g), rate_(rate), line_(line) {
    if constexpr (schedule<Rate>) {
      const bool was_sound = g.problem.what == mistake::none;
      bool is_wide = false;
      for (const term& p : parameters.items) is_wide = is_wide || p.type() == dtype::float64;
      if (is_wide) value_ = rate(expr<double, extents<>>(cast(steps, dtype::float64))).untyped();
      else value_ = rate(expr<float, extents<>>(cast(steps, dtype::float32))).untyped();
      if (was_sound && g.problem.line == 0) g.problem.line = line;  // of a mistake in the schedule
    } else if constexpr (!literal<Rate>) {
      value_ = typed_layer::term_in(g, rate);
    }
  }
  constexpr term in(dtype type) const {
    if constexpr (literal<Rate>) return kroton::graph::constant_of(graph_, type, type, rate_, "rate", line_);
    else return cast(value_, type);
  }

 private:
  kroton::graph::graph& graph_;
  const Rate& rate_;
  unsigned line_;
  term value_;
};

/// One parameter in one step, in the type in which it is computed.
struct parameter_step {
  term value, gradient, rate;
  term steps;             ///< how many steps there are with this one, a scalar; for rules that count them
  array_list<term> kept;  ///< what is kept for the parameter, in the order of its names; the rule replaces the items
};

/// A gradient with the weight decay that belongs to it: that of decay / 2 times the sum of squares of the parameter.
constexpr term with_decay(const parameter_step& s, double decay) {
  return decay == 0 ? s.gradient : s.gradient + decay * s.value;
}

/// Base of blocks that keep numbers for each of some parameters, and count.
class kept_for_parameters : public model {
 protected:
  constexpr kept_for_parameters() : model(nullptr) {}
  /// For the parameters of the model around the block; what is kept has these names and begins with zeros.
  constexpr kept_for_parameters(model* parent, const char* name, const char* count,
                                std::initializer_list<const char*> kept)
      : model(parent, name) {
    trained_ = trained_around();
    declare_all(count, kept);
  }
  /// For given parameters.
  constexpr kept_for_parameters(model* parent, const char* name, const parameter_list& trained, const char* count,
                                std::initializer_list<const char*> kept)
      : model(parent, name) {
    for (const term& p : trained.items) trained_.push_back(position_of(p));
    declare_all(count, kept);
  }

  static constexpr int position_of(const term& shared) { return variable_form::of(shared.get().attr).position; }
  /// How many things are kept for each parameter.
  constexpr int names() const { return kept_.size(); }
  /// What is kept for a parameter as its number `name`; an invalid term, and a mistake, where nothing is.
  constexpr term kept(int name, const term& parameter, unsigned line = 0) const {
    const int i = index_of(position_of(parameter));
    if (i >= 0) return shared_term(kept_[name][i]);
    parameter.owner->report({.what = mistake::unkept_parameter, .line = line, .shared = position_of(parameter)});
    return {};
  }
  /// Keeps `rows` tensors with the extents of the parameter for each parameter, along a first axis.
  constexpr void keep_rows(const char* name, int rows) {
    kept_.push_back(declare_beside(trained_, name, init::zeros, rows));
  }
  constexpr bool keeps(int variable) const { return index_of(variable) >= 0; }
  constexpr term count() const { return shared_term(count_); }

 private:
  int count_ = -1;  // the position of a shared variable, as those below
  array_list<int> trained_;
  array_list<array_list<int>> kept_;  // of each name: what is kept for each of them

  constexpr void declare_all(const char* count, std::initializer_list<const char*> kept) {
    count_ = position_of(declare(count, dtype::int64, {}, init::zeros, kroton::graph::at_home, false));
    for (const char* each : kept) kept_.push_back(declare_beside(trained_, each, init::zeros));
  }
  constexpr int index_of(int variable) const {
    int i = trained_.size() - 1;
    while (i >= 0 && trained_[i] != variable) --i;
    return i;
  }
};

/// The gradients of a cost, or a list of them as it is.
template <class C>
constexpr gradient_list gradients_of(const C& cost, const parameter_list& parameters, unsigned line) {
  if constexpr (expression<C>) return grad(cost, parameters, line);
  else return cost;
}
/// The graph of a step; none, if nothing is given that has one.
template <class C>
constexpr kroton::graph::graph* graph_of_step(const C& cost, const parameter_list& parameters) {
  if (!parameters.items.empty()) return parameters.items[0].owner;
  if constexpr (expression<C>) return cost.untyped().owner;
  else return cost.empty() ? nullptr : cost[0].owner;
}
/// Reports a list of gradients that is empty, or is not that of the parameters in their order.
constexpr bool fits(const gradient_list& gradients, const parameter_list& parameters, kroton::graph::graph& g,
                    unsigned line) {
  if (gradients.empty() || gradients.size() != parameters.items.size()) {
    g.report({.what = gradients.empty() ? mistake::no_parameters : mistake::gradient_count, .line = line});
    return false;
  }
  for (int i = 0; i < gradients.size(); ++i) {
    const term p = parameters.items[i];
    const bool is_known = i < gradients.parameters.size();
    if (is_known ? gradients.parameters[i].id == p.id : gradients[i].extents() == p.extents()) continue;
    g.report({.what = mistake::gradient_order, .line = line, .shared = variable_form::of(p.get().attr).position});
    return false;
  }
  return true;
}

/// Base of optimisers, `class adam : public optimiser<adam, adam_options>`. A derived class says what its `name` and
/// its `kept_names` are, whether it `counts` steps, and by `rule(parameter_step&)` what becomes of one parameter and of
/// what is kept for it. Its options have `gradient_limits clip`, and `are_in`, which checks them.
template <class Derived, class Options>
class optimiser : public kept_for_parameters {
 public:
  /// For the parameters of the model around it.
  constexpr explicit optimiser(model* parent, const Options& o = {}) : optimiser(parent, Derived::name, o) {}
  constexpr optimiser(model* parent, const char* name, const Options& o = {})
      : kept_for_parameters(parent, name, "steps", Derived::kept_names), options_(o) {}
  /// For given parameters.
  constexpr optimiser(model* parent, const char* name, const parameter_list& trained, const Options& o = {})
      : kept_for_parameters(parent, name, trained, "steps", Derived::kept_names), options_(o) {}

  /// The updates of one step, for `kt::outputs(cost).updates(...)`, of parameters that are declared before the
  /// optimiser. `cost` is a scalar, or the gradients with respect to the parameters, such as `kt::grad(cost,
  /// parameters())`; `rate` is a number, a scalar, or a schedule.
  template <class C, class Rate>
  constexpr auto operator()(const C& cost, const parameter_list& parameters, const Rate& rate,
                            unsigned line = __builtin_LINE()) const {
    constexpr complaint problem = optimiser_problem<C, Rate>();
    if constexpr (problem == complaint::none) {
      return updates_of(cost, parameters, rate, line);
    } else {
      reject<problem, Derived, C, Rate>();
      if constexpr (expression<C>) typed_layer::refused<typename C::expression>(cost);
      return update_list();
    }
  }

  /// Refused: not a cost, parameters and a rate.
  template <class... Wrong>
    requires(!is_step<Wrong...>)
  constexpr update_list operator()(const Wrong&...) const {
    reject<complaint::optimiser, Derived, Wrong...>();
    return {};
  }

 protected:
  Options options_;

  /// Of no model, and without what is kept.
  constexpr explicit optimiser(const Options& o) : options_(o) {}
  template <class C, class Rate>
  constexpr update_list updates_of(const C& cost, const parameter_list& parameters, const Rate& rate,
                                   unsigned line) const {
    update_list list;
    kroton::graph::graph* const g = graph_of_step(cost, parameters);
    if (g == nullptr) return list;
    if (!options_.are_in({*g, line})) return list;
    gradient_list gradients = gradients_of(cost, parameters, line);
    if (!fits(gradients, parameters, *g, line)) return list;
    if (options_.clip.value > 0) gradients = clip_by_value(gradients, options_.clip.value);
    if (options_.clip.norm > 0) gradients = clip_by_norm(gradients, options_.clip.norm);
    term before, after;
    if constexpr (Derived::counts || schedule<Rate>) {
      before = count();
      after = before + 1;
      list.add(before, after);
    }
    const step_rate<Rate> of_step(*g, rate, parameters, before, line);
    for (int i = 0; i < gradients.size(); ++i) {
      const term p = parameters.items[i];
      const dtype type = computed_in(p.type());
      parameter_step step{cast(p, type), cast(gradients[i], type), of_step.in(type), after, {}};
      array_list<term> old;
      for (int k = 0; k < names(); ++k) {
        old.push_back(kept(k, p, line));
        if (!old[k].valid()) return list;
      }
      step.kept = old;
      list.add(p, cast(static_cast<const Derived&>(*this).rule(step), p.type()));
      for (int k = 0; k < names(); ++k) list.add(old[k], step.kept[k]);
    }
    return list;
  }
};

}  // namespace optim
}  // namespace kroton
