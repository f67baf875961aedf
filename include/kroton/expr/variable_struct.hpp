// This header has structs of variables, by which a function has arguments with names:
//
//     template <template <class, auto...> class Var>      train(inputs<kt::var> in)      the function has in.x, in.rate
//     struct inputs { Var<float, n> x; Var<float> rate; } train({.x = x, .rate = 0.1f})  inputs<kt::argument> at a call
#pragma once

#include <kroton/expr/expr.hpp>
#include <kroton/graph/names.hpp>

#include <array>
#include <string_view>
#include <tuple>
#include <utility>

namespace kroton::typed {

/// Whether `S` is a struct template with kt::var as its argument.
template <class S>
inline constexpr bool is_variable_struct = false;
template <template <template <class, auto...> class> class S>
inline constexpr bool is_variable_struct<S<var>> = true;

template <class X>
inline constexpr bool is_variable = false;
template <class T, class E>
inline constexpr bool is_variable<expr<T, E>> = true;

/// The member of a struct of which only the name is asked for.
template <class T, auto... NumberOrDimensionObject>
struct nameless_member {
  constexpr nameless_member() {}
};
/// Becomes a member of any type.
template <std::size_t>
struct any_member {
  template <class T>
  constexpr operator T() const {
    return T();
  }
};

inline constexpr std::size_t most_members = 16;
template <class S, std::size_t... I>
constexpr bool is_made_of(std::index_sequence<I...>) {
  return requires { S{any_member<I>()...}; };
}
/// The number of members of a struct, at most 17. Counted downwards: a struct of which a member is left out would have
/// its default, whose type need not fit.
template <class S, std::size_t Count = most_members + 1>
constexpr std::size_t count_members() {
  if constexpr (Count == 0 || is_made_of<S>(std::make_index_sequence<Count>())) return Count;
  else return count_members<S, Count - 1>();
}

template <std::size_t Count>
using number_of_members = std::integral_constant<std::size_t, Count>;
constexpr auto with_members(number_of_members<1>, const auto& s, const auto& use) {
  const auto& [a] = s;
  return use(a);
}
constexpr auto with_members(number_of_members<2>, const auto& s, const auto& use) {
  const auto& [a, b] = s;
  return use(a, b);
}
constexpr auto with_members(number_of_members<3>, const auto& s, const auto& use) {
  const auto& [a, b, c] = s;
  return use(a, b, c);
}
constexpr auto with_members(number_of_members<4>, const auto& s, const auto& use) {
  const auto& [a, b, c, d] = s;
  return use(a, b, c, d);
}
constexpr auto with_members(number_of_members<5>, const auto& s, const auto& use) {
  const auto& [a, b, c, d, e] = s;
  return use(a, b, c, d, e);
}
constexpr auto with_members(number_of_members<6>, const auto& s, const auto& use) {
  const auto& [a, b, c, d, e, f] = s;
  return use(a, b, c, d, e, f);
}
constexpr auto with_members(number_of_members<7>, const auto& s, const auto& use) {
  const auto& [a, b, c, d, e, f, g] = s;
  return use(a, b, c, d, e, f, g);
}
constexpr auto with_members(number_of_members<8>, const auto& s, const auto& use) {
  const auto& [a, b, c, d, e, f, g, h] = s;
  return use(a, b, c, d, e, f, g, h);
}
constexpr auto with_members(number_of_members<9>, const auto& s, const auto& use) {
  const auto& [a, b, c, d, e, f, g, h, i] = s;
  return use(a, b, c, d, e, f, g, h, i);
}
constexpr auto with_members(number_of_members<10>, const auto& s, const auto& use) {
  const auto& [a, b, c, d, e, f, g, h, i, j] = s;
  return use(a, b, c, d, e, f, g, h, i, j);
}
constexpr auto with_members(number_of_members<11>, const auto& s, const auto& use) {
  const auto& [a, b, c, d, e, f, g, h, i, j, k] = s;
  return use(a, b, c, d, e, f, g, h, i, j, k);
}
constexpr auto with_members(number_of_members<12>, const auto& s, const auto& use) {
  const auto& [a, b, c, d, e, f, g, h, i, j, k, l] = s;
  return use(a, b, c, d, e, f, g, h, i, j, k, l);
}
constexpr auto with_members(number_of_members<13>, const auto& s, const auto& use) {
  const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = s;
  return use(a, b, c, d, e, f, g, h, i, j, k, l, m);
}
constexpr auto with_members(number_of_members<14>, const auto& s, const auto& use) {
  const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = s;
  return use(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
}
constexpr auto with_members(number_of_members<15>, const auto& s, const auto& use) {
  const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = s;
  return use(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
}
constexpr auto with_members(number_of_members<16>, const auto& s, const auto& use) {
  const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = s;
  return use(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
}

/// Calls `f` with all members of a struct.
template <template <template <class, auto...> class> class S, template <class, auto...> class Var>
constexpr auto with_members(const S<Var>& s, const auto& f) {
  return with_members(number_of_members<count_members<S<nameless_member>>()>(), s, f);
}

/// The address of a member, as an argument of a template.
template <class Member>
struct member_address {
  const Member* to;
};
/// The name of a member: the last word of what a compiler calls its address, `{&made.x}` or `{(& made.inputs::x)}`.
template <class S, member_address Address>
constexpr name_text spelled_member() {
  const std::string_view text = __PRETTY_FUNCTION__;
  const auto is_letter = [](char c) {
    return c == '_' || static_cast<unsigned char>(c) >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
  };
  std::size_t past = text.size();
  while (past > 0 && !is_letter(text[past - 1])) --past;
  std::size_t first = past;
  while (first > 0 && is_letter(text[first - 1])) --first;
  name_text name;
  while (first != past && name.length + 1 < name_text::capacity) name.letters[name.length++] = text[first++];
  return name;
}

struct member_types {
  template <class... Member>
  constexpr auto operator()(const Member&...) const {
    return std::type_identity<std::tuple<Member...>>();
  }
};
struct member_addresses {
  template <class... Member>
  constexpr auto operator()(const Member&... member) const {
    return std::tuple(member_address<Member>{&member}...);
  }
};
/// The types of the members of a struct; none, if it has no members or too many.
template <class S, std::size_t Count>
struct types_of_members {
  using type = std::tuple<>;
};
template <class S, std::size_t Count>
  requires(Count > 0 && Count <= most_members)
struct types_of_members<S, Count> {
  using type = typename decltype(with_members(std::declval<const S&>(), member_types()))::type;
};
template <class... X>
constexpr bool are_variables(std::tuple<X...>*) {
  return sizeof...(X) > 0 && (is_variable<X> && ...);
}
/// The names of the members of a struct.
template <class Nameless, class Indices>
struct member_names;
template <class Nameless, std::size_t... I>
struct member_names<Nameless, std::index_sequence<I...>> {
  static constexpr Nameless made{any_member<I>()...};
  static constexpr auto addresses = with_members(made, member_addresses());
  static constexpr std::array<name_text, sizeof...(I)> names{spelled_member<Nameless, std::get<I>(addresses)>()...};
};

/// What a function with these parameters takes: the types of its variables, and their names if it has one struct of
/// variables.
template <class... P>
struct variables_of {
  static constexpr bool are_named = false;
  using types = std::tuple<P...>;
  static constexpr const char* name(std::size_t) { return ""; }
};
template <template <template <class, auto...> class> class S>
struct variables_of<S<var>> {
  static constexpr bool are_named = true;
  template <template <class, auto...> class Other>
  using with = S<Other>;

  using nameless = S<nameless_member>;
  static constexpr std::size_t count = count_members<nameless>();
  using types = typename types_of_members<S<var>, count>::type;
  static constexpr const char* name(std::size_t i) {
    return member_names<nameless, std::make_index_sequence<count>>::names[i].letters;
  }
};

}  // namespace kroton::typed
