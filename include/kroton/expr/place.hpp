// This header names contexts by types, and lets users write transfers between them.
#pragma once

#include <kroton/expr/foreign.hpp>

#include <string_view>

namespace kroton {

namespace typed {
/// The device name with which `name` begins, in any spelling, and with which no name of a context may begin; or null.
constexpr const char* reserved_start(std::string_view name) {
  for (const char* reserved : {"cpu", "cuda", "gpu", "opencl"}) {
    const std::string_view start = reserved;
    std::size_t same = 0;
    while (same < start.size() && same < name.size() &&
           (name[same] == start[same] || name[same] == start[same] - 'a' + 'A'))
      ++same;
    if (same == start.size()) return reserved;
  }
  return nullptr;
}
/// Whether a name is that of a place that needs no mapping.
constexpr bool is_known_place(std::string_view name) { return name == "host" || name == "home" || name == "session"; }
}  // namespace typed

struct host;
struct home;

namespace typed {
/// Whether the name of a context can be mapped, or needs not be.
template <class Tag>
inline constexpr bool is_context_name = [] {
  constexpr std::string_view name = name_of_dim<Tag>.text;
  return std::is_same_v<Tag, host> || std::is_same_v<Tag, home> ||
         (reserved_start(name) == nullptr && !is_known_place(name));
}();
}  // namespace typed

/// Base of the names of contexts: `inline constexpr struct dev0 : kt::context_name<dev0> {} dev0;`. What device a name
/// means is said by KROTON_FLAGS or kt::context::map.
template <class Tag>
struct context_name {
  using checked =
      decltype(typed::reject < typed::is_context_name<Tag> ? typed::complaint::none : typed::complaint::context_name,
               Tag > ());
};

/// The host, wherever the session is.
inline constexpr struct host : context_name<host> {} host;

/// The context of the session.
inline constexpr struct home : context_name<home> {} home;

namespace typed {
template <class Tag>
concept named_context = std::derived_from<Tag, context_name<Tag>>;

/// The name of a context as the graph has it.
template <class Tag>
inline constexpr place_name place_of{hash_of_type<Tag>(), name_of_dim<Tag>.text};

template <const place_name* Place>
struct place_constant {};
/// Whether two places are the same; null is a place, too. They are compared as arguments of templates, because with
/// -fsanitize=undefined the comparison of addresses with null is no constant.
template <const place_name* X, const place_name* Y>
inline constexpr bool is_same_place = std::is_same_v<place_constant<X>, place_constant<Y>>;

/// The number of a named context in graph `g`.
template <named_context Tag>
constexpr place_id place_in(graph& g) {
  if constexpr (std::is_same_v<Tag, struct home>) return at_home;
  else if constexpr (std::is_same_v<Tag, struct host>) return at_host;
  else return g.place_named(place_of<Tag>);
}
}  // namespace typed

/// `transfer<dev0>(x)`: the values of `x` in the context dev0, where what is computed from them alone is computed too.
/// Values that are there already are not copied. The gradient is transferred back. An output that is a transfer stays
/// there: the caller gets a kt::tensor_at<dev0, ...>.
template <auto Place, expression X>
constexpr auto transfer(const X& x) {
  using result = typename X::expression;
  if constexpr (!typed::named_context<std::remove_cvref_t<decltype(Place)>>) {
    typed::reject<typed::complaint::place, typed::shown<X>>();
    return typed::typed_layer::refused<result>(x);
  } else {
    const term t = x.untyped();
    return result(graph::written_transfer(t, typed::place_in<std::remove_cvref_t<decltype(Place)>>(*t.owner)));
  }
}
template <auto Place, class X>
constexpr auto transfer(const X&) {
  typed::reject<typed::foreign_layer::problem<X>, ops::transfer, X>();
  return refused_expression();
}

namespace typed {
/// A variable of a function whose elements the caller gives at a place.
template <class Place, class Variable>
class placed_variable : public Variable {
 public:
  using place = Place;
  constexpr explicit placed_variable(term handle) : Variable(handle) {}
  /// What another function of expressions passes; it is transferred.
  template <class T, class E>
  constexpr placed_variable(const expr<T, E>& x) : Variable(kroton::transfer<Place{}>(Variable(x))) {}
};
template <class X>
inline constexpr bool is_placed_variable = false;
template <class Place, class Variable>
inline constexpr bool is_placed_variable<placed_variable<Place, Variable>> = true;
}  // namespace typed

/// A variable like kt::var that the caller gives at a place, as a kt::tensor_at or a kt::view_at: `constexpr auto
/// decode(kt::var_at<dev0, float, batch, 64> h) const`. Other contexts get it by transfers.
template <auto Place, class T, auto... E>
using var_at = typed::placed_variable<std::remove_cvref_t<decltype(Place)>, var<T, E...>>;

}  // namespace kroton
