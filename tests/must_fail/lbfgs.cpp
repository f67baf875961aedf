// table: each marked line says its sentence
#include <kroton/kroton.hpp>
namespace kt = kroton;

// clang-format off
struct net : kt::model {
  kt::shared<float, 3> w{this, "w"};
  kt::optim::lbfgs optimiser{this};
  constexpr auto cost(kt::var<float, 3> x) const { return kt::sum(w * x); }
  constexpr auto of_gradients(kt::var<float, 3> x) const { return kt::updates(optimiser(kt::grad(cost(x), parameters()), parameters())); }  // <- kt::optim::lbfgs takes a cost, by which it compares points
  constexpr auto of_text() const { return kt::updates(optimiser("cost", parameters())); }  // <- an optimiser takes a cost
  constexpr auto of_vector(kt::var<float, 3> x) const { return kt::updates(optimiser(w * x, parameters())); }  // <- grad needs a scalar cost
  constexpr auto of_double(kt::var<float, 3> x, kt::var<double> r) const { return kt::updates(optimiser(cost(x), parameters(), r)); }  // <- an optimiser takes a cost
};
struct refused : kt::model {
  kt::shared<float, 3> w{this, "w"};
  kt::optim::lbfgs optimiser{this};
  kt::shared<float, 3> late{this, "late"};
  constexpr auto cost(kt::var<float, 3> x) const { return kt::sum(w * x * late); }
  constexpr auto unkept(kt::var<float, 3> x) const { return kt::updates(optimiser(cost(x), parameters())); }
  constexpr auto unkept_point() const { return kt::updates(optimiser.accepted(parameters())); }
  constexpr auto nothing(kt::var<float, 3> x) const {
    return kt::updates(optimiser(cost(x), parameters() - parameters()));
  }
};
struct forgetful : kt::model {
  kt::shared<float, 3> w{this, "w"};
  kt::optim::lbfgs optimiser{this, {.history = 0}};
  constexpr auto step(kt::var<float, 3> x) const { return kt::updates(optimiser(kt::sum(w * x), parameters())); }
};
struct lax : kt::model {
  kt::shared<float, 3> w{this, "w"};
  kt::optim::lbfgs optimiser{this, {.decrease = 1}};
  constexpr auto step(kt::var<float, 3> x) const { return kt::updates(optimiser(kt::sum(w * x), parameters())); }
};
struct wide : kt::model {
  kt::shared<float, 1, 1, 1, 1, 1, 1, 2> seven{this, "seven"};
  kt::shared<float, 1, 1, 1, 1, 1, 1, 1, 2> eight{this, "eight"};
  kt::optim::lbfgs optimiser{this};
  constexpr auto step() const { return kt::updates(optimiser(kt::sum(kt::sqr(seven)) + kt::sum(kt::sqr(eight)), parameters())); }
};
kt::session<wide> wide_session;
kt::session<refused> session;
kt::session<forgetful> other;
kt::session<lax> lax_session;
auto unkept = session.compile<&refused::unkept>();            // <- keeps numbers for the parameters that are declared before it
auto unkept_point = session.compile<&refused::unkept_point>();  // <- keeps numbers for the parameters that are declared before it
auto nothing = session.compile<&refused::nothing>();          // <- given no parameters to train
auto eight_axes = wide_session.compile<&wide::step>();  // <- keeps a history with one axis more than the parameter
auto no_history = other.compile<&forgetful::step>();          // <- history of kt::optim::lbfgs
auto any_cost = lax_session.compile<&lax::step>();            // <- decrease of lbfgs
// clang-format on
int main() {}
