// This header has `kt::functor`, which makes function objects of functions of scalars, for the algorithms of the
// standard library and of Thrust, and for kernels of users.
//
//     const auto slope = kt::functor([](kt::var<float> x) { return kt::grad(kt::sin(x), x); });
//     std::transform(x.begin(), x.end(), y.begin(), slope);
#pragma once

#include <kroton/runtime/lambda_function.hpp>

/// Function objects, in a namespace of their own and in a template of no types but numbers, so that an algorithm that
/// calls `reduce` with one does not find kroton::reduce.
namespace kroton::functors {

/// The results of a functor of several outputs: `const auto [price, delta] = f(spot);`.
template <class... T>
struct results : kernel::scalar_buffers<T...> {
  template <int I>
  constexpr KROTON_HD const auto& get() const {
    return kernel::get<I>(*this);
  }
};

/// A call of a program with numbers.
template <class Program, class... Number>
struct call {
  static constexpr KROTON_HD auto of(Number... x) { return Program::with_outputs(made(), x...); }

 private:
  struct made {
    template <class... T>
    constexpr KROTON_HD auto operator()(const T&... each) const {
      if constexpr (sizeof...(T) == 1) return (each, ...);
      else return results<T...>{{{each}...}};
    }
  };
};

template <auto* Call, class Signature>
class functor;
/// A function of scalars without state. It is called with numbers, on the host and on devices, and in constant
/// expressions where its operations are constant.
template <auto* Call, class Result, class... Number>
class functor<Call, Result(Number...)> {
 public:
  constexpr KROTON_HD Result operator()(Number... x) const { return Call(x...); }
};

}  // namespace kroton::functors

template <class... T>
struct std::tuple_size<kroton::functors::results<T...>> : std::integral_constant<std::size_t, sizeof...(T)> {};
template <std::size_t I, class... T>
struct std::tuple_element<I, kroton::functors::results<T...>> {
  using type = const std::tuple_element_t<I, std::tuple<T...>>;
};

namespace kroton::runtime {

template <class Compiled, class... P>
constexpr auto make_functor(std::tuple<P...>*) {
  using call = functors::call<typename scalar_code<typename Compiled::code>::type, typename P::element...>;
  return functors::functor<&call::of, decltype(call::of)>();
}

/// Whether a function is one of scalars that has code without memory.
template <class Compiled>
inline constexpr bool is_functor = Compiled::are_scalars;
template <class Function>
inline constexpr bool is_functor<refused_function<Function>> = true;  // a sentence has been said

/// The function object of a function of scalars: `kt::functor([](kt::var<float> x) { return kt::exp(-x * x); })`. It
/// takes a lambda as `kt::function` does; gradients in it are code like any other.
template <class Lambda>
constexpr auto functor(Lambda) {
  using compiled = decltype(function<policy::none, host_backend>(std::declval<Lambda>()));
  static_assert(is_functor<compiled>,
                "kroton: kt::functor takes a function whose arguments and results are scalars, such as kt::var<float>, "
                "and that neither loops nor draws random numbers");
  if constexpr (!is_functor<compiled>) return refused_function<lambda_function<Lambda>>();
  else if constexpr (!requires { typename compiled::code; }) return compiled();
  else return make_functor<compiled>(static_cast<typename compiled::frame::parameters*>(nullptr));
}

}  // namespace kroton::runtime

namespace kroton {
using runtime::functor;
}  // namespace kroton
