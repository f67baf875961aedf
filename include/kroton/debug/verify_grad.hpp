// This header compares the gradients that Kroton derives with differences of the function itself, in double.
#pragma once

#include <kroton/warnings_off.hpp>

#include <kroton/config.hpp>
#include <kroton/expr/capture.hpp>
#include <kroton/runtime/reference/interpreter.hpp>

namespace kroton::debug {

struct verify_options {
  double tolerance = 1e-6;  ///< largest relative error that is accepted (absolute where both numbers are below 1)
  double step = 6e-6;  ///< step of the central differences, times max(1, |x|); about the cube root of the precision
  std::uint64_t seed = 42;               ///< the seed of the projection, and of the shared variables that are drawn
  std::vector<reference_tensor> shared;  ///< values of the shared variables; if empty, they are drawn from [0.5, 1.5)
};

/// The result of `verify_grad`; true if all gradients are right.
struct gradient_report {
  bool ok = true;
  double max_error = 0;              ///< the largest relative error
  std::string where;                 ///< its place: `argument 1 at [0, 2]`, `shared variable W1 at [3]`
  double derived = 0, measured = 0;  ///< the two numbers at that place
  explicit operator bool() const { return ok; }
};

/// Compares the gradients of a captured graph, and changes the graph.
gradient_report verify_graph(graph& g, std::vector<reference_tensor> inputs, const verify_options& options);

/// Captures `function` (a lambda without captures, as kt::function takes), and compares its gradients with
/// respect to all floating-point arguments, of a random projection of its floating-point outputs, with
/// central differences. Values are in double whatever the element types are, but constants of float graphs
/// are rounded to float, and so are exact to 1e-7 only. Choose arguments away from kinks by more than the
/// step.
///
///     auto report = kt::debug::verify_grad([](kt::var<double, n> x) { return kt::tanh(x); }, {x});
///     CHECK_MESSAGE(report.ok, report.where);
template <class Lambda>
gradient_report verify_grad(Lambda, std::vector<reference_tensor> inputs, const verify_options& options = {}) {
  return with_capture<lambda_function<Lambda>>([&](graph& g) { return verify_graph(g, std::move(inputs), options); });
}

/// The same for a member function of a model, and with respect to its shared variables too:
/// `verify_grad<&digits::cost>({x, label})`.
template <auto Member, class Scope = scope_of<Member>>
gradient_report verify_grad(std::vector<reference_tensor> inputs, const verify_options& options = {}) {
  return with_capture<member_function<Member, Scope>>(
      [&](graph& g) { return verify_graph(g, std::move(inputs), options); });
}

}  // namespace kroton::debug

#if KROTON_HAS_DEFINITIONS
#include <kroton/debug/verify_grad.ipp>
#endif

#include <kroton/warnings_back.hpp>
