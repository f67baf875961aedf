// This header has the arguments of a call that are members of a struct: `train({.x = images, .rate = 0.1f})`.
#pragma once

#include <kroton/expr/variable_struct.hpp>
#include <kroton/runtime/arguments.hpp>

#include <span>

namespace kroton {

/// What a call gives for `kt::var<T, ...>`, in a struct: `train(inputs<kt::argument>{.x = images, .rate = 0.1f})`, or
/// `train({.x = images, .rate = 0.1f})`. It takes what a call takes for the variable, and refers to it, as a view does.
template <class T, auto... NumberOrDimensionObject>
using argument = runtime::given_argument<T, static_cast<int>(sizeof...(NumberOrDimensionObject))>;
}  // namespace kroton

namespace kroton::runtime {

/// An argument of a call, of element type `T`. It refers to what it is given, as a view does.
template <class T, int Rank>
class given_argument {
  using parameter = ranked_parameter<T, Rank>;

 public:
  /// Refuses a call that leaves a member out.
  template <class Missing = given_argument>
  given_argument() {
    reject<complaint::left_out, Missing>();
  }
  template <class X>
  given_argument(const X& x) {
    constexpr complaint problem = argument_problem<parameter, X>();
    if constexpr (problem != complaint::none) reject<problem, given_argument, X>();
    else if constexpr (Rank == 0) value_ = argument_of<parameter>(x);
    else if constexpr (std::is_constructible_v<held, const X&>) value_ = held(x);
    else value_ = held(std::span<const T>(std::ranges::data(x), std::ranges::size(x)));
  }
  const auto& value() const { return value_; }

 private:
  using held = std::conditional_t<Rank == 0, argument_value<T, Rank>, view<const T, Rank + (Rank == 0)>>;
  held value_;
};

/// The struct of arguments of a function with one struct of variables. Other functions have none.
template <class Variables>
struct named_arguments {
  using type = named_arguments;
};
template <class Variables>
  requires(Variables::are_named)
struct named_arguments<Variables> {
  using type = typename Variables::template with<argument>;
};

}  // namespace kroton::runtime
