// This header finds the parameters and the result of the functions that can be compiled, member functions of models and
// lambdas, and what is wrong with anything else.
#pragma once

#include <kroton/expr/foreign.hpp>
#include <kroton/expr/model.hpp>
#include <kroton/expr/results.hpp>
#include <kroton/expr/variable_struct.hpp>

namespace kroton::typed {

template <class P>
inline constexpr bool is_parameter = false;  // by value, or by reference to what does not change
template <class T, class E>
inline constexpr bool is_parameter<expr<T, E>> = true;
template <class T, class E>
inline constexpr bool is_parameter<const expr<T, E>&> = true;
template <class Place, class Variable>
inline constexpr bool is_parameter<placed_variable<Place, Variable>> = true;
template <class Place, class Variable>
inline constexpr bool is_parameter<const placed_variable<Place, Variable>&> = true;

/// Whether a parameter is an integer scalar that the caller gives at a place.
template <class P>
inline constexpr bool is_placed_integer = false;
template <class Place, class Variable>
inline constexpr bool is_placed_integer<placed_variable<Place, Variable>> =
    Variable::rank == 0 && !is_floating(dtype_of<typename Variable::element>);

template <class P>
inline constexpr bool is_struct_parameter = is_variable_struct<P>;
template <class S>
inline constexpr bool is_struct_parameter<const S&> = is_variable_struct<S>;
/// The mistake in the parameters of a function.
template <class... P>
constexpr complaint parameter_problem() {
  if constexpr (sizeof...(P) == 1 && (is_struct_parameter<P> && ...))
    return are_variables(static_cast<typename variables_of<std::remove_cvref_t<P>...>::types*>(nullptr))
               ? complaint::none
               : complaint::variable_struct;
  else if constexpr (((is_struct_parameter<P> || std::is_aggregate_v<std::remove_cvref_t<P>>) || ...))
    return complaint::variable_struct;
  else if constexpr (!(is_parameter<P> && ...)) return complaint::parameter;
  else if constexpr ((is_placed_integer<std::remove_cvref_t<P>> || ...)) return complaint::placed_integer;
  else return (is_element<typename std::remove_cvref_t<P>::element> && ...) ? complaint::none : complaint::said;
}

template <class R>
inline constexpr bool is_result = expression<R>;
template <class T, class E>
inline constexpr bool is_result<expr<T, E>> = true;
template <class... Out>
inline constexpr bool is_result<results<Out...>> = true;

struct no_model {};

template <class Model>
constexpr bool make_model() {
  [[maybe_unused]] const Model made;
  return true;
}
/// Whether the compiler can make a model.
template <class Model>
concept constant_model = std::is_default_constructible_v<Model> && requires {
  typename std::bool_constant<make_model<Model>()>;
};

/// The parameters and the result of a function; `Scope` is the class of which it is a member.
template <class Scope, bool Changes, class Result, class... Parameters>
struct signature {
  using scope = Scope;
  using result = Result;
  using variables = variables_of<std::remove_cvref_t<Parameters>...>;
  static constexpr complaint problem = [] {
    if constexpr (parameter_problem<Parameters...>() != complaint::none) return parameter_problem<Parameters...>();
    else if constexpr (std::is_base_of_v<refused_expression, Result>) return complaint::said;
    else if constexpr (!is_result<Result> && !literal<Result>) return complaint::result;  // of numbers: see finish
    else return Changes ? complaint::changing_function : complaint::none;
  }();
};
template <class F>
struct signature_of {  // no function
  using scope = no_model;
  using result = void;
  using variables = variables_of<>;
  static constexpr complaint problem = complaint::function;
};
template <class R, class M, class... P>
struct signature_of<R (M::*)(P...) const> : signature<M, false, R, P...> {};
template <class R, class M, class... P>
struct signature_of<R (M::*)(P...) const noexcept> : signature<M, false, R, P...> {};
template <class R, class M, class... P>
struct signature_of<R (M::*)(P...)> : signature<M, true, R, P...> {};
template <class R, class M, class... P>
struct signature_of<R (M::*)(P...) noexcept> : signature<M, true, R, P...> {};
template <class R, class M, class... P>  // what g++ makes of a parameter list with a mistake in it
struct signature_of<R (M::*)(P..., ...) const> {
  using scope = M;
  using result = void;
  using variables = variables_of<>;
  static constexpr complaint problem = complaint::parameter;
};
template <class R, class... P>
struct signature_of<R (*)(P...)> : signature<no_model, false, R, P...> {};

/// Whether the name of a type has the text `part`.
template <class T>
constexpr bool is_named_with(const char* part) {
  for (const char* at = __PRETTY_FUNCTION__; *at != '\0'; ++at) {
    int i = 0;
    while (part[i] != '\0' && at[i] == part[i]) ++i;
    if (part[i] == '\0') return true;
  }
  return false;
}

/// Whether a lambda has a parameter `auto`.
#if defined(__GNUC__) && !defined(__clang__)
template <class Lambda>
inline constexpr bool is_generic = is_named_with<Lambda>("auto:");
#else
// clang does not spell the parameters; but a call operator cannot be found by its type where another is a template
template <class Lambda>
struct called_otherwise : Lambda {
  using Lambda::operator();
  called_otherwise& operator()(called_otherwise&) const;
};
template <class C>
void find_other_call(C& (C::*)(C&) const);
template <class Lambda>
inline constexpr bool is_generic = !requires {
  find_other_call(&called_otherwise<Lambda>::operator());
};
#endif

/// Of a class without one call operator: it is generic, or a lambda with a mistake in its body, which has been said.
template <class Lambda>
struct signature_of_lambda {
  using result = void;
  using variables = variables_of<>;
  static constexpr bool is_lambda = is_named_with<Lambda>("<lambda") || is_named_with<Lambda>("(lambda");
  static constexpr complaint problem = [] {
    if constexpr (!std::is_class_v<Lambda> || expression<Lambda>) return complaint::capturing_lambda;
    else if constexpr (is_lambda && !is_generic<Lambda>) return complaint::said;
    else return complaint::generic_lambda;
  }();
};
template <class Lambda>
  requires requires { &Lambda::operator(); }
struct signature_of_lambda<Lambda> : signature_of<decltype(&Lambda::operator())> {
  static constexpr auto member = &Lambda::operator();
  static constexpr complaint problem = std::is_empty_v<Lambda> && std::is_default_constructible_v<Lambda>
                                           ? signature_of<decltype(&Lambda::operator())>::problem
                                           : complaint::capturing_lambda;
};

/// The class that a member function belongs to.
template <auto Member>
using scope_of = typename signature_of<decltype(Member)>::scope;

/// A member function of a model, to be captured. The class is an argument of its own, as g++ takes what is made from
/// members of classes in unnamed namespaces for the same in all files, unless a type tells them apart.
template <auto Member, class Scope = scope_of<Member>>
struct member_function {  // no base: g++ would warn of models in anonymous namespaces
  using signature = signature_of<decltype(Member)>;
  using result = typename signature::result;
  using variables = typename signature::variables;
  using model_type = typename signature::scope;
  static constexpr complaint problem = [] {
    if (signature::problem != complaint::none) return signature::problem;
    if (!std::is_base_of_v<model, model_type>) return complaint::no_model;
    return constant_model<model_type> ? complaint::none : complaint::construction;
  }();
  static constexpr auto member = Member;
};
/// A model whose function is a lambda's.
template <class Lambda>
struct lambda_model : model, Lambda {};
/// A lambda without captures.
template <class Lambda>
struct lambda_function : signature_of_lambda<Lambda> {
  using model_type = lambda_model<Lambda>;
};

}  // namespace kroton::typed
