// table: each marked line says its sentence
#include <kroton/kroton.hpp>
namespace kt = kroton;

// clang-format off
struct net : kt::model {
  kt::shared<float, 3> w{this, "w"};
  kt::optim::adam optimiser{this};
  kt::optim::accumulator gradients{this};
  constexpr auto cost(kt::var<float, 3> x) const { return kt::sum(w * x); }
  constexpr auto of_text(kt::var<float, 3> x) const { return kt::updates(optimiser("cost", parameters(), x)); }  // <- an optimiser takes a cost
  constexpr auto of_tensor(kt::var<float, 3> x) const { return kt::updates(optimiser(cost(x), parameters(), x)); }  // <- an optimiser takes a cost
  constexpr auto of_double(kt::var<float, 3> x, kt::var<double> r) const { return kt::updates(optimiser(cost(x), parameters(), r)); }  // <- an optimiser takes a cost
  constexpr auto known(kt::var<float, 3> x, kt::var<float> g) const { return kt::grad(kt::known_grads(w * x, g), x); }  // <- must have its element type and extents
  constexpr auto known_text(kt::var<float, 3> x) const { return x * kt::known_grads(x, "g"); }  // <- an operand is not an expression
  constexpr auto known_integers(kt::var<int, 3> x) const { return kt::known_grads(x, x); }  // <- no gradient with respect to integers
  constexpr auto held(kt::var<float, 3> x) const { return kt::grad(kt::consider_constant(cost(x), 1), w); }  // <- grad takes a scalar cost
  constexpr auto added(kt::var<float, 3> x) const { return kt::updates(gradients.add("cost", parameters())); }  // <- an optimiser takes a cost
};
struct refused : kt::model {
  kt::shared<float, 3> w{this, "w"};
  kt::optim::adam optimiser{this};
  kt::shared<float, 3> late{this, "late"};
  constexpr auto cost(kt::var<float, 3> x) const { return kt::sum(w * x * late); }
  constexpr auto unkept(kt::var<float, 3> x) const { return kt::updates(optimiser(cost(x), parameters(), 1)); }
  constexpr auto nothing(kt::var<float, 3> x) const {
    return kt::updates(optimiser(cost(x), parameters() - parameters(), 1));
  }
  constexpr auto two_for_one(kt::var<float, 3> x) const {
    return kt::updates(optimiser(kt::grad(cost(x), parameters()), kt::parameters(w), 1));
  }
};
struct twins : kt::model {
  kt::shared<float, 3> w{this, "w"};
  kt::optim::adam first{this}, second{this};
  constexpr auto f(kt::var<float, 3> x) const { return kt::sum(w * x); }
};
kt::session<refused> session;
kt::session<twins> pair;
auto unkept = session.compile<&refused::unkept>();    // <- keeps numbers for the parameters that are declared before it
auto nothing = session.compile<&refused::nothing>();  // <- given no parameters to train
auto two_for_one = session.compile<&refused::two_for_one>();  // <- takes one gradient for each parameter
auto twin = pair.compile<&twins::f>();                        // <- two blocks of one model have the same name
// clang-format on
int main() {}
