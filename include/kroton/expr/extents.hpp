// This header has extents as types, which are numbers, named dimensions and `any`, and converts them to extent codes.
#pragma once

#include <kroton/expr/check.hpp>
#include <kroton/graph/ops/any.hpp>

#include <concepts>
#include <tuple>

namespace kroton {

/// An extent that is a number.
template <std::int64_t Number>
struct fixed {};

namespace typed {
/// The value given to a named dimension: `batch(256)`.
template <class Tag>
struct extent_value_of {
  std::int64_t value;
};
}  // namespace typed

/// Base of named dimensions: `inline constexpr struct batch : kt::dim<batch> {} batch;`
template <class Tag>
struct dim {
  constexpr typed::extent_value_of<Tag> operator()(std::int64_t value) const { return {value}; }
};

namespace typed {
template <class Tag>
concept named_extent = std::derived_from<Tag, dim<Tag>>;

/// The name of a type as the compiler spells it, without its scope.
template <class T>
struct type_name {
  static constexpr int capacity = 64;
  char text[capacity] = {};
  constexpr type_name() {
    // the type stands between "T = " and the closing bracket or a semicolon
    const char* p = __PRETTY_FUNCTION__;
    const char* begin = p;
    for (; *p != '\0'; ++p)
      if (p[0] == 'T' && p[1] == ' ' && p[2] == '=' && p[3] == ' ') begin = p + 4;
    const char* end = begin;
    for (p = begin; *p != '\0' && *p != ']' && *p != ';'; ++p) {
      end = p + 1;
      if (*p == ':') begin = p + 1;
    }
    for (int i = 0; begin + i != end && i + 1 < capacity; ++i) text[i] = begin[i];
  }
};
template <class Tag>
inline constexpr type_name<Tag> name_of_dim{};
}  // namespace typed

/// Shape of an expression, as a type.
template <class... E>
struct extents {
  static constexpr int rank = sizeof...(E);
};

namespace typed {
template <auto E>
struct extent_type {  // an argument that is not an extent counts as `any`, so that no other errors follow
  using type = any_extent;
  static constexpr bool is_any = std::is_same_v<std::remove_cvref_t<decltype(E)>, type>;
  static_assert(std::is_void_v<decltype(reject < is_any ? complaint::none : complaint::extent, extent_type > ())>);
};
template <auto E>
  requires named_extent<std::remove_cvref_t<decltype(E)>>
struct extent_type<E> {
  using type = std::remove_cvref_t<decltype(E)>;
};
template <auto E>
  requires(std::integral<decltype(E)>&& E >= 0)
struct extent_type<E> {
  using type = fixed<static_cast<std::int64_t>(E)>;
};

/// `extents_of<batch, 64>` is `extents<batch, fixed<64>>`.
template <auto... E>
using extents_of = extents<typename extent_type<E>::type...>;

// Codes of extent types, for shape rules evaluated on types: numbers as they are, `any` as -1, names by a hash of the
// type's full name, negative.
inline constexpr extent_code any_code = -1;
template <class E>
inline constexpr extent_code code_of = any_code;
template <std::int64_t Number>
inline constexpr extent_code code_of<fixed<Number>> = Number;
template <named_extent Tag>
inline constexpr extent_code code_of<Tag> = -2 - static_cast<extent_code>(hash_of_type<Tag>() >> 2);

template <class Extents>
inline constexpr shape shape_of_type{};
template <class... E>
inline constexpr shape shape_of_type<extents<E...>>{sizeof...(E), {code_of<E>...}};

template <class... Lists>
struct joined;
template <class... E>
struct joined<extents<E...>> {
  using type = extents<E...>;
};
template <class... A, class... B, class... Rest>
struct joined<extents<A...>, extents<B...>, Rest...> : joined<extents<A..., B...>, Rest...> {};

template <extent_code Code, class Candidates>
struct extent_of_code;
template <extent_code Code, class... E>
struct extent_of_code<Code, extents<E...>> {
  static constexpr std::size_t index = [] {
    const extent_code codes[] = {code_of<E>..., Code};
    std::size_t i = 0;
    while (codes[i] != Code) ++i;
    return i;
  }();
  using type = std::tuple_element_t<index, std::tuple<E..., any_extent>>;
};
template <extent_code Code, class... E>
  requires(Code >= 0)
struct extent_of_code<Code, extents<E...>> {
  using type = fixed<Code>;
};

template <shape Shape, class Candidates, class Indices>
struct extents_at;
template <shape Shape, class Candidates, int... I>
struct extents_at<Shape, Candidates, std::integer_sequence<int, I...>> {
  using type = extents<typename extent_of_code<Shape.extent[I], Candidates>::type...>;
};
template <shape Shape, class Candidates>
struct extents_of_shape {
  static constexpr int rank = Shape.rank;
  using type = typename extents_at<Shape, Candidates, std::make_integer_sequence<int, rank>>::type;
};

/// Extent arithmetic on types, with the interface that shape rules expect of graph::extents.
struct typed_extents {
  bool mismatch = false;
  extent_code first = 0, second = 0;

  constexpr extent_code unify(extent_code a, extent_code b, const char*) {
    if (a == b || b == any_code) return a;
    if (a == any_code) return b;
    if (!mismatch) first = a, second = b;
    mismatch = true;
    return a;
  }
  static constexpr extent_code add(extent_code a, extent_code b) {
    return a >= 0 && b >= 0 ? a + b : a == 0 ? b : b == 0 ? a : any_code;
  }
  static constexpr extent_code subtract(extent_code a, extent_code b) {
    return a >= 0 && b >= 0 ? (a < b ? 0 : a - b) : b == 0 ? a : any_code;
  }
  static constexpr extent_code minimum(extent_code a, extent_code b) {
    if (a == b || a == 0 || b == 0) return a == b ? a : 0;
    return a >= 0 && b >= 0 ? (a < b ? a : b) : any_code;
  }
  static constexpr extent_code multiply(extent_code a, extent_code b) {
    return a >= 0 && b >= 0 ? a * b : a == 1 ? b : b == 1 ? a : any_code;
  }
  static constexpr extent_code ceil_divide(extent_code a, extent_code b) {
    return a >= 0 && b > 0 ? (a + b - 1) / b : b == 1 ? a : any_code;
  }
};
}  // namespace typed

}  // namespace kroton
