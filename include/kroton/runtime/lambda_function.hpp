// This header has `kt::function`, which makes functions of tensors from lambdas.
//
//     const auto f = kt::function([](kt::var<float, 3> x) { return x * 2; });  // straight code
//     auto g = kt::function([](kt::var<float, batch> x) { return x * 2; }, kt::context::host(4));
#pragma once

#include <kroton/runtime/straight_function.hpp>

namespace kroton::runtime {

/// Whether a function that is given no context is straight code, which only the host has.
template <class Function, class Backend>
inline constexpr bool is_straight = [] {
  if constexpr (Backend::kind == backend_kind::host && captured<Function>::size.shared == 0) {
    using passes = pipeline<typename prepared<captured<Function>, Backend>::type>;
    return on_host::straight_code<typename passes::lowered>::is_possible;
  } else {
    return false;
  }
}();

/// The conditions of the static_asserts in kt::function itself, which is one call nearer to the user than `reject` and
/// `diagnosed`: for a misspelled parameter, compilers have already printed several lines.
template <class Function>
inline constexpr bool takes_variables = function_problem<Function> != complaint::parameter;
template <mistake What, class Details>
inline constexpr bool uses_every_argument = What != mistake::unused_argument;

/// What a function is given that may run in any context, `kt::context::best()`.
struct anywhere {
  operator context() const { return context::best(); }
};
template <class Where>
concept context_like = std::is_same_v<Where, anywhere> || std::is_convertible_v<const Where&, const context&>;

template <class Function, class Backend>
compiled_function<Function, Backend> make_function(const context& where, seed s, product_math math) {
  return within_memory(
      [&] { return compiled_function<Function, Backend>(where, own_storage<Function>(where, s), math); });
}

/// `function(lambda)`: a function of tensors that needs no model. The lambda takes kt::var<...> by value and captures
/// nothing.
template <policy Wanted = policy::none, class Backend = KROTON_BACKEND, class Lambda, context_like Where = anywhere>
constexpr auto function(Lambda, const Where& where = {}, seed s = {}) {
  using function = lambda_function<Lambda>;
  constexpr complaint problem = function_problem<function>;
  if constexpr (problem != complaint::none) {
    static_assert(takes_variables<function>,
                  "kroton: the parameters of a compiled function are kt::var<...>, taken by value, of dimensions that "
                  "are declared objects");
    if constexpr (problem == complaint::not_constant) cannot_evaluate<function>();
    else if constexpr (takes_variables<function>) reject<problem, function>();
    return refused_function<function>();
  } else {
    using found = diagnosis_of<captured<function>>;
    static_assert(uses_every_argument<found::what, typename found::details>,
                  "kroton: the function does not use one of its arguments");
    if constexpr (found::what != mistake::unused_argument) diagnosed<found::what>(typename found::details());
    if constexpr (!is_sound<function>) {
      return refused_function<function>();
    } else if constexpr (!has_kernels<captured<function>, Backend::kind>) {
      require_kernels<captured<function>, Backend::kind>();
      return refused_function<function>();
    } else {
      enforce<Wanted, captured<function>>();
      using backend = backend_with<Wanted, Backend>;
      evaluate_in_turn<typename prepared<captured<function>, backend>::type>();
      if constexpr (std::is_same_v<Where, anywhere> && is_straight<function, backend>)
        return compiled_function<function, straight_backend<backend>>();
      else return make_function<function, backend>(where, s, math_of(Wanted));
    }
  }
}

}  // namespace kroton::runtime

namespace kroton {
using runtime::function;
}  // namespace kroton
