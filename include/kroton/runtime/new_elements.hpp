// This header binds the elements that a caller gives shared variables, for `session.set` and `session.copy`.
//
//     kt::with<&net::W>(w)  ->  position 0, the address of w's elements, extents (3, 2)
#pragma once

#include <kroton/runtime/arguments.hpp>
#include <kroton/runtime/model_frame.hpp>
#include <kroton/runtime/shared_storage.hpp>

#include <span>

namespace kroton::runtime {

/// Whether an `X` is a range of all elements of a variable, row-major.
template <class T, class X>
inline constexpr bool is_every_element = !is_tensor<X> && std::is_convertible_v<const X&, std::span<const T>>;

/// The mistake in elements of type `X` for a variable like `Parameter`.
template <class Parameter, class X>
constexpr complaint elements_problem() {
  if constexpr (is_every_element<typename Parameter::element, X>) return complaint::none;
  else return argument_problem<Parameter, X>() == complaint::none ? complaint::none : complaint::shared_elements;
}
template <class Parameter, class X>
auto bind_elements(const X& x, const context& where) {
  using element = typename Parameter::element;
  if constexpr (is_every_element<element, X>) return std::span<const element>(x);
  else return bind_argument<Parameter>(x, where);
}
template <class T>
new_elements elements_for(std::size_t variable, const std::span<const T>& every) {
  return {.variable = variable, .from = reinterpret_cast<const std::byte*>(every.data()), .count = std::ssize(every)};
}
template <class T, int Rank>
new_elements elements_for(std::size_t variable, const bound_argument<T, Rank>& given) {
  return {
      .variable = variable, .from = given.bytes(), .extents = given.extents, .fits = given.fits, .number = given.given};
}

template <class Model>
class session;

/// Elements for the shared variable at the end of a path; `kt::with` makes it.
template <class X, auto... Path>
struct variable_with {
  X elements;
};
/// What `session.copy` is told of a variable, for a session of `Model`.
template <class Model, class With>
struct replacement {  // not made by kt::with
  static constexpr complaint problem = complaint::copied_with;
  static constexpr std::size_t position = 0;
};
template <class Model, class X, auto... Path>
struct replacement<Model, variable_with<X, Path...>> {
  using variable = reached_by<Model, Path...>;
  using parameter = ranked_parameter<typename variable::element, variable::rank>;
  static constexpr complaint problem =
      variable::is_shared ? elements_problem<parameter, std::remove_cvref_t<X>>() : complaint::not_shared;
  static constexpr std::size_t position = [] {
    if constexpr (variable::is_shared) return model_frame<Model>::template position<Path...>;
    else return std::size_t{0};
  }();
};
/// The first mistake in what `session.copy` is told.
template <class Model, class... With>
constexpr complaint replacement_problem() {
  for (const complaint each : {replacement<Model, With>::problem..., complaint::none})
    if (each != complaint::none) return each;
  const std::size_t positions[] = {replacement<Model, With>::position..., 0};
  for (int i = 0; i < static_cast<int>(sizeof...(With)); ++i)
    for (int j = 0; j < i; ++j)
      if (positions[i] == positions[j]) return complaint::variable_twice;
  return complaint::none;
}

/// Elements for a shared variable of a copied session, `session.copy(kt::with<&digits::W1>(w))`: what `session.set`
/// takes. A variable in a block is named as in `session.values`. It refers to the elements, as a view does.
template <auto... Path, class X>
variable_with<const X&, Path...> with(const X& elements) {
  return {elements};
}
/// The elements that the variable has in another session.
template <auto... Path, class Model>
auto with(const session<Model>& other) {
  return variable_with<decltype(other.template get<Path...>()), Path...>{other.template get<Path...>()};
}

}  // namespace kroton::runtime

namespace kroton {
using runtime::with;
}  // namespace kroton
