// This header has the object that stands for a refused function. It lets the compiler report the mistake without errors
// that follow from it.
#pragma once

#include <kroton/expr/capture.hpp>
#include <kroton/runtime/tensor.hpp>

namespace kroton::runtime {

/// Takes any arguments and has the result type that the function would have.
template <class Function>
struct refused_function {
  refused_function clone() const { return {}; }
  template <class... X>
  void into(const X&...) const {}
  template <class... X>
  auto operator()(const X&...) const {
    if constexpr (is_result<typename Function::result>)
      return result(static_cast<typename result_traits<typename Function::result>::outputs*>(nullptr));
  }

 private:
  template <class... Out>
  static auto result(std::tuple<Out...>*) {
    if constexpr (sizeof...(Out) == 1) return (tensor<typename Out::element, Out::rank>(), ...);
    else if constexpr (sizeof...(Out) > 1) return std::tuple<tensor<typename Out::element, Out::rank>...>();
  }
};

}  // namespace kroton::runtime
