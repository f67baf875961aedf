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
  constexpr auto of_vector(kt::var<float, 3> x) const { return kt::updates(optimiser(w * x, parameters(), 1)); }  // <- grad needs a scalar cost
  constexpr auto of_integers(kt::var<int> x) const { return kt::updates(optimiser(x, parameters(), 1)); }  // <- grad needs a floating-point cost
  constexpr auto no_rate(kt::var<float, 3> x) const { return kt::updates(optimiser(cost(x), parameters())); }  // <- an optimiser takes a cost
  constexpr auto of_itself(kt::var<float, 3> x) const { return kt::updates(optimiser(cost(x), w, 0.1)); }  // <- an optimiser takes a cost
  constexpr auto swapped(kt::var<float, 3> x) const { return kt::updates(optimiser(parameters(), cost(x), 0.1)); }  // <- an optimiser takes a cost
  constexpr auto vector_added(kt::var<float, 3> x) const { return kt::updates(gradients.add(w * x, parameters())); }  // <- grad needs a scalar cost
  constexpr auto vector_of_all(kt::var<float, 3> x) const { return kt::updates(optimiser(kt::grad(w * x, parameters()), parameters(), 1)); }  // <- grad needs a scalar cost
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
struct reordered : kt::model {
  kt::shared<float, 3> w{this, "w"}, v{this, "v"};
  kt::shared<float> b{this, "b"};
  kt::optim::adam optimiser{this};
  kt::optim::accumulator sums{this};
  constexpr auto cost(kt::var<float, 3> x) const { return kt::sum(w * v * x + b); }
  constexpr auto narrow(kt::var<float, 3> x) const { return kt::updates(optimiser(kt::grad(cost(x), kt::parameters(b, w)), kt::parameters(w, b), 1)); }
  constexpr auto equal(kt::var<float, 3> x) const { return kt::updates(kt::optim::sgd(kt::grad(cost(x), kt::parameters(v, w)), kt::parameters(w, v), 1)); }
  constexpr auto summed() const { return kt::updates(optimiser(sums.mean(kt::parameters(b, w)), kt::parameters(w, b), 1)); }
  constexpr auto clipped(kt::var<float, 3> x) const { return kt::updates(optimiser(kt::optim::clip_by_norm(kt::grad(cost(x), kt::parameters(v, w)), 1), kt::parameters(w, v), 1)); }
  constexpr auto by_hand(kt::var<float, 3> x) const {
    kt::gradient_list list;
    list.push_back(kt::sum(x).untyped());
    return kt::updates(optimiser(list, kt::parameters(w), 1));
  }
};
struct integers : kt::model {
  kt::shared<float, 3> w{this, "w"};
  kt::shared<int, 3> which{this, "which"};
  constexpr auto step() const { return kt::updates(kt::optim::sgd(kt::sum(w * kt::cast<float>(which)), parameters(), 1)); }
  constexpr auto raw() const {
    kt::typed::update_list list;
    list.add(w.untyped(), kt::sum(w).untyped());
    return kt::updates(list);
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
kt::session<reordered> other;
auto narrow = other.compile<&reordered::narrow>();    // <- of other parameters, or in another order
auto equal = other.compile<&reordered::equal>();      // <- of other parameters, or in another order
auto summed = other.compile<&reordered::summed>();    // <- of other parameters, or in another order
auto clipped = other.compile<&reordered::clipped>();  // <- of other parameters, or in another order
auto by_hand = other.compile<&reordered::by_hand>();  // <- of other parameters, or in another order
kt::session<integers> mixed;
auto integer = mixed.compile<&integers::step>();  // <- a kt::state is no parameter that an optimiser trains
auto raw = mixed.compile<&integers::raw>();       // <- has other extents or another element type
auto twin = pair.compile<&twins::f>();                        // <- two blocks of one model have the same name
struct without_this : kt::model {
  kt::shared<float, 3> w{this, "w"};
  kt::optim::adam optimiser;
};
kt::session<without_this> session_without_this;  // <- members such as optimisers are made with {this}
// clang-format on
int main() {}
