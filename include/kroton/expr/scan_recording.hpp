// This header records the loop of a call of kt::scan: its body once, and what the iterations make of it.
#pragma once

#include <kroton/expr/loop_items.hpp>
#include <kroton/graph/checkpoints.hpp>
#include <kroton/graph/guarded.hpp>

namespace kroton::typed {

using kroton::graph::body_scope;
using kroton::graph::loop_begin;
using kroton::graph::loop_made;
using kroton::graph::read_rows;

/// The values of all iterations of a value `R` of a body. nvcc refuses it as a member of the class.
template <class R, class Steps, class... S>
using all_iterations =
    expr<typename R::element,
         typename extents_of_shape<rows_of(iterations_code<Steps, S...>, shape_of_type<typename R::extents_type>),
                                   typename joined<typename R::extents_type, typename steps_extents<Steps>::type,
                                                   typename sequence_rule<S>::operand::extents_type...>::type>::type>;

template <class Sequences, class Carried, class Steps>
class scan_recording;
template <class... S, class... C, class Steps>
class scan_recording<sequence_list<S...>, carried_list<C...>, Steps> {
 public:
  constexpr scan_recording(const sequence_list<S...>& sequences, const carried_list<C...>& carried, const Steps& steps,
                           const scan_options& options, graph& g)
      : sequences_(sequences), carried_(carried), steps_(steps), options_(options), graph_(g) {
    for (const auto& [name, value] :
         {named{"truncate_gradient", options.truncate_gradient}, named{"keep_every", options.keep_every}})
      if (value < 0) graph_.report({.what = mistake::negative_option, .option = name});
    if (options.truncate_gradient > 0 && options.keep_every > 0) graph_.report(mistake::loop_options);
  }

  /// What the body gets, as a tuple, in a loop that is recorded for that alone.
  constexpr auto given() {
    const loop_begin from = begin();
    return arguments(graph_.new_loop(0, from.iterations), from);
  }
  /// What `body` returns in a loop that is recorded for that alone.
  template <class Body>
  constexpr auto returned_by(const Body& body) {
    const loop_begin from = begin();
    const int loop = graph_.new_loop(0, from.iterations);
    const auto given = arguments(loop, from);
    const body_scope recorded_body(graph_, loop);
    return std::apply(body, given);
  }
  /// The results of the loop, as kt::scan returns them.
  template <class Returned, class Body>
  constexpr auto results(const Body& body) {
    using values = scan_values<Returned>;
    loop_begin all = begin();
    if constexpr (values::can_end) {
      all.carried.push_back(reshape_term(constant(graph_, dtype::boolean, 1), {1, {1}}));
      all.carried.push_back(reshape_term(constant(graph_, dtype::int64, 0), {1, {1}}));
    }
    if constexpr (values::has_updates) {
      note_updated(values::updates_of(returned_by(body)));
      for (const term& each : updated_) {
        const shape s = each.extents();  // a copy, because new nodes move the graph's shapes
        all.carried.push_back(reshape_term(each, with_ones(s, 1)));
      }
    }
    hidden_ = all.carried.size() - static_cast<int>(sizeof...(C));
    const auto record = [&](const loop_begin& from) { return recorded<values>(body, from); };
    loop_made made;
    if (options_.keep_every <= 0) made = record(all);
    else made = kroton::graph::checkpoints(graph_, all, options_.keep_every).run(record);
    return [&]<class... R, std::size_t... I>(std::type_identity<std::tuple<R...>>, std::index_sequence<I...>) {
      const auto found = std::make_tuple(result<I, typename R::expression>(made)...);
      return single(std::tuple_cat(found, updates_after<values>(made), iterations_after<values>(made)));
    }(std::type_identity<typename values::type>(),
           std::make_index_sequence<std::tuple_size_v<typename values::type>>());
  }

 private:
  struct named {
    const char* name;
    int value;
  };
  const sequence_list<S...>& sequences_;
  const carried_list<C...>& carried_;
  const Steps& steps_;
  scan_options options_;
  graph& graph_;
  array_list<term> updated_;  // shared variables that the body updates
  int hidden_ = 0;            // carried variables that are none of the user's

  template <class... R>
  static constexpr auto single(const std::tuple<R...>& results) {
    if constexpr (sizeof...(R) == 1) return std::get<0>(results);
    else return results;
  }

  // ---- what the loop is given ----

  constexpr loop_begin begin() {
    loop_begin all;
    all.iterations = iterations();
    std::apply([&](const auto&... x) { (add_sequence(all, x), ...); }, sequences_.items);
    std::apply([&](const auto&... x) { (add_carried(all, x), ...); }, carried_.items);
    return all;
  }
  template <class X>
  constexpr void add_sequence(loop_begin& all, const X& sequence) {
    using rule = sequence_rule<X>;
    const term rows = typed_layer::term_in(graph_, sequence.x);
    const extent_code last = graph_.extents.subtract(all.iterations, 1);
    for (int i = 0; i < rule::count; ++i) {
      const extent_code first = rule::taps[i] - rule::least;
      all.sequences.push_back(
          {rows, options_.go_backwards ? graph_.extents.add(last, first) : first, options_.go_backwards});
    }
  }
  template <class X>
  constexpr void add_carried(loop_begin& all, const X& carried) {
    const term initial = typed_layer::term_in(graph_, carried.x);
    const shape s = initial.extents();
    all.carried.push_back(carried_rule<X>::has_taps ? initial : reshape_term(initial, with_ones(s, 1)));
  }
  /// The number of iterations: of the shortest sequence, unless it was given.
  constexpr extent_code iterations() const {
    graph& g = graph_;
    extent_code most = -1;
    bool is_known = false;
    const auto note = [&]<class X>(const X& each) {
      using rule = sequence_rule<X>;
      const extent_code all = typed_layer::term_in(g, each.x).extents()[0];
      g.extents.require({requirement::kind::at_most, rule::most - rule::least, all, "scan"});
      const extent_code rows = g.extents.subtract(all, rule::most - rule::least);
      most = is_known ? g.extents.minimum(most, rows) : rows;
      is_known = true;
    };
    std::apply([&](const auto&... x) { (note(x), ...); }, sequences_.items);
    const extent_code steps = given(g, steps_, most);
    if (is_known && steps != most) g.extents.require({requirement::kind::at_most, steps, most, "scan"});
    return steps;
  }
  static constexpr extent_code given(graph&, const no_steps&, extent_code most) { return most; }
  template <class Extent>
  static constexpr extent_code given(graph& g, const fixed_steps<Extent>&, extent_code) {
    return graph_extent<Extent>(g, 1);
  }
  template <class N>
  constexpr extent_code given(graph& g, const given_steps<N>& steps, extent_code) const {
    return extent_of_argument(g, typed_layer::term_in(g, steps.count), 0);
  }

  // ---- the body ----

  /// Records a loop that begins as `from`.
  template <class Values, class Body>
  constexpr loop_made recorded(const Body& body, const loop_begin& from) {
    constexpr int own = sizeof...(C);
    constexpr int kept[] = {carried_rule<C>::kept..., 1};
    const int loop = graph_.new_loop(options_.truncate_gradient, from.iterations);
    const auto given = arguments(loop, from);
    array_list<term> before, made;
    for (int i = 0; i < from.carried.size(); ++i)
      before.push_back(loop_carried_term(from.carried[i], {loop, i, 1, i < own ? kept[i] : 1}));
    {
      const body_scope recorded_body(graph_, loop);
      const int first = graph_.size();
      const auto returned = std::apply(body, given);
      std::apply([&](const auto&... each) { (made.push_back(typed_layer::term_in(graph_, each)), ...); },
                 Values::of(returned));
      for (int i = 0; i < own; ++i) require_extents(before[i], made[i]);
      kroton::graph::stabilise_body(graph_, made, first);
      if constexpr (Values::can_end) made.push_back(typed_layer::term_in(graph_, Values::end_of(returned)));
      if constexpr (Values::has_updates) update(Values::updates_of(returned), made, before, loop);
      if constexpr (Values::can_end) made = ended(made, before, first);
    }
    carried_variables variables(graph_, loop, from.iterations);
    for (int i = 0; i < before.size(); ++i) variables.add(before[i], made[i]);
    loop_made found;
    for (const term& each : made) found.rows.push_back(variables.rows(each));
    for (int i = 0; i < before.size(); ++i) found.lasts.push_back(variables.last(i));
    return found;
  }
  constexpr auto arguments(int loop, const loop_begin& from) {
    return [&]<std::size_t... I, std::size_t... K>(std::index_sequence<I...>, std::index_sequence<K...>) {
      return std::tuple_cat(rows_of<sequence_rule<S>>(loop, from, rows_before<I>)...,
                            values_of<carried_rule<C>>(loop, from, static_cast<int>(K))...);
    }
    (std::index_sequence_for<S...>(), std::index_sequence_for<C...>());
  }
  /// The number of rows that an iteration gets of the first `Sequences` sequences.
  template <std::size_t Sequences>
  static constexpr int rows_before = [] {
    constexpr int counts[] = {sequence_rule<S>::count..., 0};
    int found = 0;
    for (int i = 0; i < static_cast<int>(Sequences); ++i) found += counts[i];
    return found;
  }();
  template <class Rule>
  constexpr auto rows_of(int loop, const loop_begin& from, int first) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      const auto row = [&](std::size_t i) {
        const read_rows& each = from.sequences[first + static_cast<int>(i)];
        return typename Rule::row(loop_row_term(each.of, {loop, each.goes_back, each.first}));
      };
      return std::tuple{row(I)...};
    }
    (std::make_index_sequence<Rule::count>());
  }
  template <class Rule>
  constexpr auto values_of(int loop, const loop_begin& from, int number) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple{
          typename Rule::value(loop_carried_term(from.carried[number], {loop, number, -Rule::taps[I], Rule::kept}))...};
    }
    (std::make_index_sequence<Rule::count>());
  }
  /// Requires the extents of a variable of its new value.
  static constexpr void require_extents(term carried, term next) {
    extent_table& extents = next.owner->extents;
    for (int axis = 0; axis < next.rank(); ++axis) extents.unify(carried.extents()[axis], next.extents()[axis], "scan");
  }
  /// Notes the variables that updates are of.
  constexpr void note_updated(const update_list& updates) {
    for (const kroton::graph::update_entry& each : updates.items) {
      const kroton::graph::variable& v = graph_.shared[each.target];
      const term of{&graph_, graph_.add(kroton::graph::op<ops::shared>, v.type, v.shape,
                                        kroton::graph::variable_form{each.target}, nullptr, 0)};
      for (const term& known : updated_)
        if (known.id == of.id) graph_.report({.what = mistake::double_update, .shared = each.target});
      updated_.push_back(of);
    }
  }
  /// Lets the body see the variables that it updates as they are in an iteration, and puts their new values behind
  /// those of what is carried.
  constexpr void update(const update_list& updates, array_list<term>& made, const array_list<term>& before, int loop) {
    array_list<kroton::graph::replacement> seen;
    array_list<int> roots;
    for (int id = 0; id < graph_.size(); ++id)  // what a loop is given is not of an iteration
      if (const kroton::graph::node& n = graph_.nodes[id]; kroton::graph::begins_body(n, loop))
        seen.push_back({id, id});
    const int first = before.size() - updated_.size();
    for (int i = 0; i < updated_.size(); ++i) seen.push_back({updated_[i].id, before[first + i].id});
    for (const term& each : made) roots.push_back(each.id);
    for (const kroton::graph::update_entry& each : updates.items) roots.push_back(each.source);
    const kroton::graph::substitution now(graph_, seen, roots);
    constexpr int own = sizeof...(C);
    array_list<term> all;
    for (int i = 0; i < own; ++i) all.push_back({&graph_, now[made[i].id]});
    for (const kroton::graph::update_entry& each : updates.items) all.push_back({&graph_, now[each.source]});
    for (int i = own; i < made.size(); ++i) all.push_back({&graph_, now[made[i].id]});
    made = all;
  }
  /// Makes the body a branch that is taken until the condition, the last of `made`, has held: carried variables then
  /// stay what they are, and other values are zeros. Two further carried variables say whether the loop still runs, and
  /// how many iterations did; their new values come after those of the user's.
  constexpr array_list<term> ended(const array_list<term>& made, const array_list<term>& before, int first) {
    constexpr int own = sizeof...(C);
    const term runs = before[own], count = before[own + 1];
    const array_list<term> taken = kroton::graph::guarded(made, first, runs);
    array_list<term> found;
    for (int i = 0; i < own; ++i) found.push_back(where(runs, taken[i], before[i]));
    found.push_back(runs && !taken.back());
    found.push_back(count + cast(runs, dtype::int64));
    for (int i = own; i < made.size() - 1; ++i)
      found.push_back(i < own + updated_.size() ? where(runs, taken[i], before[i + 2]) : where(runs, taken[i], 0));
    return found;
  }

  // ---- the results ----

  /// Value `I` of those that the body returned.
  template <std::size_t I, class R>
  constexpr auto result(const loop_made& made) const {
    constexpr int at = static_cast<int>(I);
    using all = all_iterations<R, Steps, S...>;
    if constexpr (I < sizeof...(C)) return loop_value<all, R>{all(made.rows[at]), R(made.lasts[at])};
    else return loop_output<all>{all(made.rows[at + hidden_])};
  }
  template <class Values>
  constexpr auto updates_after(const loop_made& made) const {
    if constexpr (Values::has_updates) {
      update_list found;
      const int first = made.lasts.size() - updated_.size();
      for (int i = 0; i < updated_.size(); ++i) found.add(updated_[i], made.lasts[first + i]);
      return std::tuple{found};
    } else {
      return std::tuple<>();
    }
  }
  template <class Values>
  constexpr auto iterations_after(const loop_made& made) const {
    if constexpr (Values::can_end)
      return std::tuple{expr<std::int64_t, extents<>>(made.lasts[static_cast<int>(sizeof...(C)) + 1])};
    else return std::tuple<>();
  }
};

}  // namespace kroton::typed
