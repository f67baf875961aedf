// This header has the object that stands for a refused function. It lets the compiler report the mistake without errors
// that follow from it.
#pragma once

#include <kroton/expr/capture.hpp>
#include <kroton/runtime/given_arguments.hpp>

namespace kroton::runtime {

/// Takes any arguments and has the result type that the function would have.
template <class Function>
struct refused_function {
  using variables = typename Function::variables;
  using named = typename named_arguments<variables>::type;
  refused_function clone() const { return {}; }
  template <class... X>
  void into(const X&...) const {}
  template <class Result>
  void into(const Result&, const named&) const requires(variables::are_named) {}
  template <class... X>
  auto operator()(const X&...) const {
    if constexpr (is_result<typename Function::result>)
      return result(static_cast<typename result_traits<typename Function::result>::outputs*>(nullptr));
  }
  auto operator()(const named& arguments) const requires(variables::are_named) { return operator()<named>(arguments); }

 private:
  template <class... Out>
  static auto result(std::tuple<Out...>*) {
    if constexpr (sizeof...(Out) == 1) return (tensor<typename Out::element, Out::rank>(), ...);
    else if constexpr (sizeof...(Out) > 1) return std::tuple<tensor<typename Out::element, Out::rank>...>();
  }
};

}  // namespace kroton::runtime
