// This header has random orders: kt::random::permutation.
#pragma once

#include <kroton/expr/random.hpp>
#include <kroton/graph/ops/argsort.hpp>

namespace kroton {

namespace typed::distributions {
struct permutation {
  static constexpr const char* name = "permutation";
};
}  // namespace typed::distributions

namespace random {

/// The positions along a dimension in random order, each order as likely as the others:
/// `kt::random::permutation<batch>()`, integers of 64 bits. `kt::take(x, kt::random::permutation<batch>())` has the
/// rows of `x` in random order. It is the order of as many random numbers of 64 bits, of which a million have two equal
/// ones once in 40 million calls. There is no gradient.
template <auto... E>
constexpr auto permutation() {
  using typed::distributions::permutation;
  if constexpr (sizeof...(E) != 1) {
    typed::reject<typed::complaint::permutation, permutation, typed::extents_of<E...>>();
    return refused_expression();
  } else {
    constexpr typed::complaint made =
        typed::made_problem<std::int64_t, false, extents<typename typed::extent_type<E>::type...>, E...>();
    if constexpr (made != typed::complaint::none) {
      return typed::refuse_made<made, permutation, std::int64_t, E...>();
    } else {
      kroton::graph::graph& g = typed::temporary_graph();
      const term keys = kroton::graph::draw_bits<64>(g, typed::graph_shape_of(g, 1, typed::extents_of<E...>()));
      return expr<std::int64_t, typed::extents_of<E...>>(call_routine<ops::argsort>(along_form{0}, keys));
    }
  }
}
// Refused: an element type.
template <class T, auto... E>
constexpr auto permutation() {
  typed::reject<typed::complaint::permutation, typed::distributions::permutation, T, typed::extents_of<E...>>();
  return refused_expression();
}

}  // namespace random
}  // namespace kroton
