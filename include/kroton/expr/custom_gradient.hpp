// This header has functions whose gradients are not those of their formulas: kt::custom_gradient, and kt::remat.
//
//     auto log1pexp = kt::custom_gradient([](auto x) { return kt::log(1 + kt::exp(x)); },
//                                         [](auto g, auto x) { return g * kt::sigmoid(x); });
//     log1pexp(x)   // the gradient of it is that of the second function
#pragma once

#include <kroton/expr/functions.hpp>
#include <kroton/expr/loop_items.hpp>
#include <kroton/graph/rematerialised.hpp>

namespace kroton {

namespace typed {
namespace functions {  // names for error messages
struct custom_gradient;
struct remat;
}  // namespace functions

template <class X>
inline constexpr bool is_differentiable = false;
template <expression X>
inline constexpr bool is_differentiable<X> = is_floating(dtype_of<typename X::element>);
/// The types of the gradients that operands want, as a tuple.
template <class... X>
using wanted_gradients = decltype(std::tuple_cat(
    std::declval<std::conditional_t<is_differentiable<X>, std::tuple<typename X::expression>, std::tuple<>>>()...));
template <class Wanted, class Made>
inline constexpr bool are_gradients = false;
template <class... W, class... M>
  requires(sizeof...(W) == sizeof...(M) && (expression<M> && ...))
inline constexpr bool are_gradients<std::tuple<W...>, std::tuple<M...>> =
    (std::is_same_v<W, typename M::expression> && ...);

/// A function with a backward function of its own.
template <class Function, class Backward>
class custom_function {
 public:
  constexpr custom_function(const Function& f, const Backward& backward) : f_(f), backward_(backward) {}

  template <class... X>
  constexpr auto operator()(const X&... x) const {
    if constexpr (!(expression<X> && ...) || sizeof...(X) == 0) {
      return refuse_with<complaint::custom, functions::custom_gradient>(x...);
    } else {
      const auto y = f_(x...);
      using type = std::remove_cvref_t<decltype(y)>;
      if constexpr (!is_differentiable<type>) {
        return refuse_with<complaint::custom, functions::custom_gradient>(x...);
      } else {
        using value = typename type::expression;
        graph& g = *typed_layer::graph_of(y, x...);
        const term of = typed_layer::term_in(g, y), arriving = arriving_gradient(of);
        if constexpr (!takes<Backward, std::tuple<value, typename X::expression...>>) {
          return refuse_with<complaint::custom, functions::custom_gradient>(y, x...);
        } else {
          const auto made = backward_(value(arriving), typename X::expression(typed_layer::term_in(g, x))...);
          using values = body_values<std::remove_cvref_t<decltype(made)>>;
          if constexpr (!are_gradients<wanted_gradients<X...>, typename values::type>) {
            return refuse_with<complaint::custom, functions::custom_gradient>(y, x...);
          } else {
            kroton::graph::array_list<term> operands, gradients;
            const auto add = [&]<class Z>(const Z& z) {
              if constexpr (is_differentiable<Z>) operands.push_back(typed_layer::term_in(g, z));
            };
            (add(x), ...);
            std::apply([&](const auto&... each) { (gradients.push_back(typed_layer::term_in(g, each)), ...); },
                       values::of(made));
            return value(custom_gradient_term(of, operands, arriving, gradients, false, false));
          }
        }
      }
    }
  }

 private:
  Function f_;
  Backward backward_;
};

/// A function that is computed again for its gradients.
template <class Function>
class remat_function {
 public:
  constexpr explicit remat_function(const Function& f) : f_(f) {}

  template <class... X>
  constexpr auto operator()(const X&... x) const {
    if constexpr (!(expression<X> && ...) || sizeof...(X) == 0) {
      return refuse_with<complaint::custom, functions::remat>(x...);
    } else {
      graph& g = *typed_layer::graph_of(x...);
      const int first = g.size();
      const auto made = f_(x...);
      using values = body_values<std::remove_cvref_t<decltype(made)>>;
      if constexpr (!values::are_expressions) {
        return refuse_with<complaint::custom, functions::remat>(x...);
      } else {
        const auto again = [&]<class Y>(const Y& y) {
          const term t = y.untyped();
          const bool is_whole = t.owner != &g || !is_differentiable<Y>;
          return typename Y::expression(is_whole ? t : kroton::graph::rematerialised(t, first, 0));
        };
        if constexpr (expression<std::remove_cvref_t<decltype(made)>>) return again(made);
        else return std::apply([&](const auto&... each) { return std::tuple{again(each)...}; }, made);
      }
    }
  }

 private:
  Function f_;
};
}  // namespace typed

/// The function `f` of expressions, with gradients that `backward` makes: it gets the gradient that arrives at the
/// value of `f`, and the operands, and returns the gradient of each operand of floating-point numbers, as a
/// `std::tuple` if they are several. What else `f` uses gets no gradient. `kt::custom_gradient([](auto x) { return
/// kt::floor(x); },
/// [](auto g, auto) { return g; })(x)`. Derivatives of higher order are those of what `backward` computes.
template <class Function, class Backward>
constexpr auto custom_gradient(const Function& f, const Backward& backward) {
  return typed::custom_function<Function, Backward>(f, backward);
}

/// The function `f` of expressions, of which nothing is kept for gradients but its operands, and what else it uses: the
/// rest is computed again when a gradient arrives. `kt::remat([&](auto h) { return block(h); })(h)`, in a loop too.
template <class Function>
constexpr auto remat(const Function& f) {
  return typed::remat_function<Function>(f);
}

}  // namespace kroton
