// This header has what a loop is given: its sequences, what it carries, and the number of iterations.
//
//     kt::sequences(x, kt::taps<0, 1>(y)), kt::carried(h0, kt::taps<-2, -1>(begin)), kt::steps<100>()
#pragma once

#include <kroton/expr/made.hpp>
#include <kroton/expr/range.hpp>
#include <kroton/expr/results.hpp>
#include <kroton/graph/ops/loop.hpp>

namespace kroton {

/// How a loop runs: `kt::scan(body, kt::sequences(x), kt::carried(h), kt::scan_options{.go_backwards = true})`.
struct scan_options {
  bool go_backwards = false;  ///< the first iteration has the last rows
  int truncate_gradient = 0;  ///< gradients go back through so many iterations, the last ones; 0: through all
  int keep_every = 0;         ///< for gradients, the others are computed again from one of so many iterations; 0: none
};

namespace typed {

/// A sequence of which an iteration has the rows t + `Taps`, or a carried variable of which it has the values that are
/// -`Taps` iterations old.
template <class X, int... Taps>
struct tapped {
  X x;
};
template <class... X>
struct sequence_list {
  std::tuple<X...> items;
};
template <class... X>
struct carried_list {
  std::tuple<X...> items;
};
struct no_steps {};
template <class Extent>
struct fixed_steps {};
template <class N>
struct given_steps {
  N count;
};

namespace functions {  // names for error messages
struct scan;
}  // namespace functions

template <class C>
inline constexpr bool is_scalar_of_bool = false;
template <expression C>
inline constexpr bool is_scalar_of_bool<C> = C::rank == 0 && std::is_same_v<typename C::element, bool>;

template <class Steps>
struct steps_extents {
  using type = extents<>;
};
template <class Extent>
struct steps_extents<fixed_steps<Extent>> {
  using type = extents<Extent>;
};

template <class X>
inline constexpr bool is_tapped = false;
template <class X, int... Taps>
inline constexpr bool is_tapped<tapped<X, Taps...>> = true;

/// `x` as an expression, for shared variables are no values.
template <class X>
constexpr auto as_expression(const X& x) {
  if constexpr (expression<X>) return typename X::expression(x.untyped());
  else return x;
}
template <class X>
constexpr auto with_taps(const X& x) {
  if constexpr (is_tapped<X>) return x;
  else if constexpr (literal<X>)
    return tapped<expr<X, extents<>>>{
        expr<X, extents<>>(constant(temporary_graph(), dtype_of<X>, static_cast<double>(x)))};
  else return tapped<decltype(as_expression(x))>{as_expression(x)};
}

/// The types and rules of a sequence; without taps it has the rows t.
template <class Sequence>
struct sequence_rule;
template <class X, int... Taps>
struct sequence_rule<tapped<X, Taps...>> {
  using operand = X;
  static constexpr int count = sizeof...(Taps) == 0 ? 1 : sizeof...(Taps);
  static constexpr int taps[sizeof...(Taps) + 1] = {Taps..., 0};
  static constexpr int least = std::min({Taps..., 0}), most = std::max({Taps..., 0});
  static constexpr shape rows = shape_of_type<typename X::extents_type>;
  static constexpr complaint problem = X::rank == 0 ? complaint::rank : complaint::none;
  static constexpr extent_code iterations = X::rank == 0 ? any_code : typed_extents::subtract(rows[0], most - least);
  using row = expr<typename X::element, typename extents_of_shape<row_of(rows), typename X::extents_type>::type>;
};
/// The same of a carried variable.
template <class Carried>
struct carried_rule;
template <class X, int... Taps>
struct carried_rule<tapped<X, Taps...>> {
  using operand = X;
  static constexpr bool has_taps = sizeof...(Taps) > 0;
  static constexpr int count = has_taps ? sizeof...(Taps) : 1;
  static constexpr int taps[sizeof...(Taps) + 1] = {Taps..., -1};
  static constexpr int kept = has_taps ? -std::min({Taps..., -1}) : 1;
  static constexpr shape rows = shape_of_type<typename X::extents_type>;
  static constexpr complaint problem = [] {
    if (!has_taps) return X::rank < max_rank ? complaint::none : complaint::rank;
    if (X::rank == 0) return complaint::rank;
    return ((Taps < 0) && ...) && rows[0] == kept ? complaint::none : complaint::taps;
  }();
  static constexpr shape row = has_taps ? row_of(rows) : rows;
  using value = expr<typename X::element, typename extents_of_shape<row, typename X::extents_type>::type>;
};

/// The value of a body in all iterations, and after the last one.
template <class All, class Last>
struct loop_value {
  All all;    ///< (iterations, ...)
  Last last;  ///< without iterations that it has in the beginning
};
template <class All>
struct loop_output {
  All all;  ///< (iterations, ...)
};

/// The condition after which a loop ends.
template <class C>
struct ending {
  C holds;
};
template <class T>
inline constexpr bool is_ending = false;
template <class C>
inline constexpr bool is_ending<ending<C>> = true;

/// Whether a function of the user's takes arguments of the types of a tuple, and returns something.
template <class Function, class Arguments>
inline constexpr bool takes = false;
template <class Function, class... X>
  requires requires(const Function& f, const X&... x) { requires !std::is_void_v<decltype(f(x...))>; }
inline constexpr bool takes<Function, std::tuple<X...>> = true;

template <class R>
struct body_values {
  using type = std::tuple<R>;
  static constexpr bool are_expressions = expression<R>;
  static constexpr std::tuple<R> of(const R& r) { return {r}; }
};
template <class... R>
struct body_values<std::tuple<R...>> {
  using type = std::tuple<R...>;
  static constexpr bool are_expressions = (expression<R> && ...);
  static constexpr const std::tuple<R...>& of(const std::tuple<R...>& r) { return r; }
};

/// Updates among what a body returns.
template <class T>
inline constexpr bool is_updates = std::derived_from<T, update_list> || std::is_same_v<T, results<>>;
constexpr const update_list& updates_in(const update_list& updates) { return updates; }
constexpr const update_list& updates_in(const results<>& returned) { return returned.all_updates(); }
/// What the body of kt::scan returns: values, then perhaps updates, and then perhaps the condition after which the loop
/// ends.
template <class Returned>
struct scan_values {
 private:
  using every = typename body_values<Returned>::type;
  static constexpr std::size_t size = std::tuple_size_v<every>;
  template <std::size_t I>
  using element = std::tuple_element_t<(I < size ? I : 0), std::conditional_t<size == 0, std::tuple<int>, every>>;

 public:
  static constexpr bool can_end = is_ending<element<size - 1>>;
  static constexpr bool has_updates = is_updates<element<size - 1 - can_end>>;
  static constexpr std::size_t count = size - can_end - has_updates;  ///< of the values
  static constexpr bool is_refused = std::is_same_v<element<size - 1>, ending<refused_expression>>;

  static constexpr auto of(const Returned& r) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple<element<I>...>{std::get<I>(body_values<Returned>::of(r))...};
    }
    (std::make_index_sequence<count>());
  }
  static constexpr auto end_of(const Returned& r) { return std::get<size - 1>(body_values<Returned>::of(r)).holds; }
  static constexpr update_list updates_of(const Returned& r) {
    return updates_in(std::get<size - 1 - can_end>(body_values<Returned>::of(r)));
  }
  using type = decltype(of(std::declval<const Returned&>()));
  static constexpr bool are_expressions = body_values<type>::are_expressions;
};

/// The extent that a loop has as its number of iterations, from the sequences and from what was given.
template <class Steps, class... S>
inline constexpr extent_code iterations_code = [] {
  const extent_code rows[] = {sequence_rule<S>::iterations..., any_code};
  extent_code shortest = rows[0];
  for (std::size_t i = 1; i < sizeof...(S); ++i) shortest = typed_extents::minimum(shortest, rows[i]);
  return shortest;
}();
template <class N, class... S>
inline constexpr extent_code iterations_code<given_steps<N>, S...> = any_code;
template <class Extent, class... S>
inline constexpr extent_code iterations_code<fixed_steps<Extent>, S...> = code_of<Extent>;

/// Whether a type is made from a template.
template <template <class...> class Wanted, class T>
inline constexpr bool is_made_from = false;
template <template <class...> class Wanted, class... T>
inline constexpr bool is_made_from<Wanted, Wanted<T...>> = true;
template <class Item>
inline constexpr bool is_sequences = is_made_from<sequence_list, Item>;
template <class Item>
inline constexpr bool is_carried = is_made_from<carried_list, Item>;
template <class Item>
inline constexpr bool is_steps = is_made_from<fixed_steps, Item> || is_made_from<given_steps, Item>;
template <class Item>
inline constexpr bool is_options = std::is_same_v<Item, scan_options>;

/// The first item that `Is` holds for, or the last one, which is the default.
template <bool Is, bool... Rest, class Item, class... Items>
constexpr const auto& first_of(const Item& item, const Items&... items) {
  if constexpr (Is || sizeof...(Items) == 0) return item;
  else return first_of<Rest...>(items...);
}

/// The mistake in what a loop is given.
template <class... Items>
constexpr complaint items_problem() {
  constexpr int sequences = (is_sequences<Items> + ... + 0), carried = (is_carried<Items> + ... + 0),
                steps = (is_steps<Items> + ... + 0), options = (is_options<Items> + ... + 0);
  if (sequences + carried + steps + options != static_cast<int>(sizeof...(Items))) return complaint::loop_items;
  if (sequences > 1 || carried > 1 || steps > 1 || options > 1) return complaint::loop_items;
  return sequences + (carried > 0 && steps > 0) > 0 ? complaint::none : complaint::loop_items;
}
/// The mistake in a list.
template <class List>
inline constexpr complaint list_problem = complaint::none;
template <template <class> class Rule, class... X>
inline constexpr complaint first_problem = [] {
  complaint found = complaint::none;
  ((found = found != complaint::none                ? found
            : expression<typename Rule<X>::operand> ? Rule<X>::problem
                                                    : complaint::operand),
   ...);
  return found;
}();
template <class... X>
inline constexpr complaint list_problem<sequence_list<X...>> = first_problem<sequence_rule, X...>;
template <class... X>
inline constexpr complaint list_problem<carried_list<X...>> = first_problem<carried_rule, X...>;

/// Whether the first values that a body returns are of the types of the carried variables.
template <class Carried, class Values, class Indices>
inline constexpr bool are_carried_on = false;
template <class... C, class... R, std::size_t... I>
  requires(sizeof...(R) >= sizeof...(C))
inline constexpr bool are_carried_on<carried_list<C...>, std::tuple<R...>, std::index_sequence<I...>> =
    (std::is_same_v<typename carried_rule<C>::value, typename std::tuple_element_t<I, std::tuple<R...>>::expression> &&
     ...);

/// The mistake in the values that a body returns.
template <class Carried, class Returned>
inline constexpr complaint body_problem = complaint::loop_body;
template <class... C, class Returned>
  requires(scan_values<Returned>::are_expressions)
inline constexpr complaint body_problem<carried_list<C...>, Returned> =
    !are_carried_on<carried_list<C...>, typename scan_values<Returned>::type, std::index_sequence_for<C...>>
        ? complaint::loop_body
    : scan_values<Returned>::is_refused ? complaint::said
                                        : complaint::none;
}  // namespace typed

/// The sequences of a loop, whose rows its iterations get: `kt::sequences(x, kt::taps<0, 1>(y))`.
template <class... X>
constexpr auto sequences(const X&... x) {
  return typed::sequence_list<decltype(typed::with_taps(x))...>{{typed::with_taps(x)...}};
}
/// What a loop carries from one iteration to the next, as it is before the first: `kt::carried(h0, c0)`, with numbers
/// or expressions. The body returns the new values, in the same order.
template <class... X>
constexpr auto carried(const X&... x) {
  return typed::carried_list<decltype(typed::with_taps(x))...>{{typed::with_taps(x)...}};
}
/// Rows t + `Taps` of a sequence, `kt::taps<0, 1>(x)`, or the values of a carried variable that are so old,
/// `kt::taps<-3, -1>(initial)`, whose initial values are as many rows as the oldest one needs, the oldest first.
template <int... Taps, class X>
constexpr auto taps(const X& x) {
  return typed::tapped<decltype(typed::as_expression(x)), Taps...>{typed::as_expression(x)};
}
/// Ends a loop after the iteration in which `condition` holds, a scalar of bool: the body of kt::scan returns it last,
/// `std::tuple{next, kt::until(error < 1e-6)}`.
template <class C>
constexpr auto until(const C& condition) {
  if constexpr (typed::is_scalar_of_bool<C>) {
    return typed::ending<C>{condition};
  } else {
    typed::reject<typed::complaint::until, typed::functions::scan, C>();
    return typed::ending<refused_expression>();
  }
}
/// The number of iterations, `kt::steps<100>()`; it is needed where there are no sequences.
template <auto Count>
constexpr auto steps() {
  return typed::fixed_steps<typename typed::extent_type<Count>::type>{};
}
/// The same at the call: a scalar integer argument of the function, `kt::steps(n)`.
template <class N>
  requires(typed::is_position<N>&& symbolic<N>)
constexpr typed::given_steps<N> steps(const N& count) { return {count}; }

}  // namespace kroton
