// This header has sums of products that are written as text, kt::einsum, and products of several matrices.
//
//     kt::einsum<"bij,bjk->bik">(x, y)      a batched product
//     kt::multi_dot(A, B, C, x)             A (B (C x)), in the order that takes fewest operations
#pragma once

#include <kroton/expr/functions.hpp>
#include <kroton/graph/einsum.hpp>

#include <algorithm>

namespace kroton {

namespace typed {
namespace functions {  // names for error messages
struct einsum;
struct multi_dot;
}  // namespace functions

/// Text as an argument of a template.
template <std::size_t Size>
struct text_argument {
  char text[Size] = {};
  constexpr text_argument(const char (&given)[Size]) { std::copy(given, given + Size, text); }
};

/// The extents of a sum of products.
template <class... X>
struct einsum_extents {
  shape result;
  complaint problem = complaint::none;

  constexpr explicit einsum_extents(const kroton::graph::einsum_text& text) {
    if (!text.is_valid || text.count != static_cast<int>(sizeof...(X))) {
      problem = complaint::einsum;
      return;
    }
    const shape shapes[] = {shape_of_type<typename X::extents_type>...};
    typed_extents table;
    extent_code of[128] = {};
    bool is_known[128] = {};
    for (int k = 0; k < text.count; ++k) {
      if (shapes[k].rank != text.operands[k].count) problem = complaint::einsum;
      for (int i = 0; i < text.operands[k].count && problem == complaint::none; ++i) {
        const auto c = static_cast<std::size_t>(text.operands[k].letter[i]);
        of[c] = is_known[c] ? table.unify(of[c], shapes[k][i], "einsum") : shapes[k][i];
        is_known[c] = true;
      }
    }
    for (int i = 0; i < text.result.count; ++i) result.append(of[static_cast<std::size_t>(text.result.letter[i])]);
    if (table.mismatch) problem = complaint::extents;
  }
};
template <class... X>
constexpr complaint products_problem(const kroton::graph::einsum_text& text) {
  if constexpr (!(expression<X> && ...) || sizeof...(X) == 0) {
    return complaint::operand;
  } else {
    using element = typename std::tuple_element_t<0, std::tuple<X...>>::element;
    if constexpr (!(std::is_same_v<typename X::element, element> && ...)) return complaint::mixed_types;
    else if constexpr (std::is_same_v<element, bool>) return complaint::type;
    else return einsum_extents<X...>(text).problem;
  }
}
template <class First, class... X>
constexpr auto product_of_all(const kroton::graph::einsum_text& text, const First& first, const X&... x) {
  graph& g = *typed_layer::graph_of(first, x...);
  kroton::graph::array_list<kroton::graph::lettered> operands;
  int i = 0;
  const auto add = [&](const auto& each) { operands.push_back({typed_layer::term_in(g, each), text.operands[i++]}); };
  add(first);
  (add(x), ...);
  return kroton::graph::einsum_product(text.result).of(operands);
}

/// The text of a product of matrices, and perhaps vectors at its ends: `ab,bc,c->a`.
template <class... X>
constexpr auto chain_text() {
  constexpr int count = sizeof...(X);
  const int ranks[] = {X::rank...};
  struct {
    char text[64] = {};
    int size = 0;
    bool is_chain = true;
  } made;
  const auto add = [&](char c) { made.text[made.size++] = c; };
  char letter = 'a';
  for (int i = 0; i < count; ++i) {
    if (i > 0) add(',');
    const bool is_end = i == 0 || i + 1 == count;
    if (ranks[i] != 2 && !(ranks[i] == 1 && is_end)) made.is_chain = false;
    add(letter);
    if (ranks[i] == 2) add(++letter);
  }
  add('-');
  add('>');
  if (ranks[0] == 2) add('a');
  if (ranks[count - 1] == 2) add(letter);
  return made;
}
}  // namespace typed

/// The sum of products that a text names, with a letter for each axis of each operand, and behind `->` those of the
/// result: `kt::einsum<"ij,jk->ik">(x, y)`, `kt::einsum<"ii->">(x)`. Without `->` the result has the letters that occur
/// once. Axes with one letter must agree. Products of floating-point numbers are products of matrices, and of several
/// operands in the order that takes fewest operations, where extents that are no numbers count as 1,000.
template <typed::text_argument Text, class... X>
constexpr auto einsum(const X&... x) {
  constexpr graph::einsum_text text(Text.text, static_cast<int>(sizeof(Text.text)) - 1);
  constexpr typed::complaint problem = typed::products_problem<X...>(text);
  if constexpr (problem != typed::complaint::none) {
    return typed::refuse<problem, typed::functions::einsum>(x...);
  } else {
    using element = typename std::tuple_element_t<0, std::tuple<X...>>::element;
    constexpr shape result = typed::einsum_extents<X...>(text).result;
    return typed::typed_layer::typed<element, result, X...>(typed::product_of_all(text, x...));
  }
}

/// The product of matrices, of which the first and the last may be vectors, in the order that takes fewest operations:
/// `kt::multi_dot(A, B, C, x)`. Extents that are no numbers count as 1,000.
template <class... X>
constexpr auto multi_dot(const X&... x) {
  constexpr bool are_few = sizeof...(X) >= 2 && sizeof...(X) <= graph::einsum_text::most;
  if constexpr (!(expression<X> && ...) || !are_few) {
    return typed::refuse<typed::complaint::einsum, typed::functions::multi_dot>(x...);
  } else {
    constexpr auto chain = typed::chain_text<X...>();
    constexpr graph::einsum_text text(chain.text, chain.size);
    constexpr typed::complaint problem = chain.is_chain ? typed::products_problem<X...>(text) : typed::complaint::rank;
    if constexpr (problem != typed::complaint::none) {
      return typed::refuse<problem, typed::functions::multi_dot>(x...);
    } else {
      using element = typename std::tuple_element_t<0, std::tuple<X...>>::element;
      constexpr shape result = typed::einsum_extents<X...>(text).result;
      return typed::typed_layer::typed<element, result, X...>(typed::product_of_all(text, x...));
    }
  }
}

}  // namespace kroton
