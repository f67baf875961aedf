// The sentences of mistakes that only the finished capture shows, said where the function is compiled.
#pragma once

#include <kroton/graph/graph.hpp>

namespace kroton {

/// Instantiated with what a capture reported. Its template argument shows the mistake, the line of the user's
/// source (0 when it is not known) and the argument or shared variable, counted from 0 (-1 when there is
/// none).
template <diagnosis Problem>
struct diagnosed {
  static_assert(Problem.what != mistake::disconnected_gradient,
                "kroton: kt::grad with respect to a variable that the cost does not depend on; its line is "
                "shown with the mistake");
  static_assert(
      Problem.what != mistake::no_derivative,
      "kroton: kt::grad through an operation that has no derivative; its line is shown with the mistake");
  static_assert(Problem.what != mistake::unused_input,
                "kroton: the function does not use one of its arguments; the last number of the mistake "
                "counts them from 0");
  static_assert(Problem.what != mistake::double_update,
                "kroton: the function updates one shared variable twice; the last number of the mistake "
                "counts them from 0");
  static_assert(Problem.what != mistake::given_not_found,
                "kroton: kt::givens replaces an expression that the function does not contain");
  static_assert(Problem.what != mistake::slice_bound,
                "kroton: a range of indices lies outside its axis, has a step below 1, or a computed bound "
                "(only integers, kt::end "
                "and scalar arguments of the function are bounds)");
  static_assert(
      Problem.what != mistake::computed_index,
      "kroton: an index must be an argument of the function or a shared variable, not computed from them");
  static constexpr bool reported = true;
};

}  // namespace kroton
