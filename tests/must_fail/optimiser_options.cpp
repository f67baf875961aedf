// table: each marked line says its sentence
#include <kroton/kroton.hpp>
namespace kt = kroton;
namespace optim = kt::optim;

// clang-format off
/// A model whose optimiser has such options. `Line` is that of the mistake, because compilers say the same once.
template <class Optimiser, auto Options, unsigned Line = 0>
struct with : kt::model {
  kt::shared<float, 3> w{this, "w"};
  Optimiser optimiser{this, Options};
  constexpr auto step() const { return kt::updates(optimiser(kt::sum(w), parameters(), 1, Line)); }
};
kt::session<with<optim::sgd, optim::sgd_options{.clip = {.norm = -1}}>> norm;
kt::session<with<optim::momentum, optim::momentum_options{.clip = {.value = -1}}>> value;
kt::session<with<optim::nesterov, optim::momentum_options{.momentum = 1}>> momentum;
kt::session<with<optim::adagrad, optim::adagrad_options{.epsilon = -1}>> adagrad;
kt::session<with<optim::rmsprop, optim::rmsprop_options{.decay = -0.1}>> rmsprop;
kt::session<with<optim::adadelta, optim::adadelta_options{.decay = 1}, 2>> adadelta;
kt::session<with<optim::adam, optim::adam_options{.beta1 = 1}>> adam;
kt::session<with<optim::adamw, optim::adamw_options{.weight_decay = -0.1}>> adamw;
kt::session<with<optim::lion, optim::lion_options{.beta2 = -1}>> lion;
auto of_norm = norm.compile<&with<optim::sgd, optim::sgd_options{.clip = {.norm = -1}}>::step>();  // <- clip of an optimiser
auto of_value = value.compile<&with<optim::momentum, optim::momentum_options{.clip = {.value = -1}}>::step>();  // <- clip of an optimiser
auto of_momentum = momentum.compile<&with<optim::nesterov, optim::momentum_options{.momentum = 1}>::step>();  // <- beta1, beta2, momentum and decay of kt::optim
auto of_adagrad = adagrad.compile<&with<optim::adagrad, optim::adagrad_options{.epsilon = -1}>::step>();  // <- epsilon, weight_decay and clip of an optimiser
auto of_rmsprop = rmsprop.compile<&with<optim::rmsprop, optim::rmsprop_options{.decay = -0.1}>::step>();  // <- momentum and decay of kt::optim
auto of_adadelta = adadelta.compile<&with<optim::adadelta, optim::adadelta_options{.decay = 1}, 2>::step>();  // <- momentum and decay of kt::optim
auto of_adam = adam.compile<&with<optim::adam, optim::adam_options{.beta1 = 1}>::step>();  // <- beta1, beta2, momentum and decay of kt::optim
auto of_adamw = adamw.compile<&with<optim::adamw, optim::adamw_options{.weight_decay = -0.1}>::step>();  // <- epsilon, weight_decay and clip of an optimiser
auto of_lion = lion.compile<&with<optim::lion, optim::lion_options{.beta2 = -1}>::step>();  // <- beta1, beta2, momentum and decay of kt::optim

struct averages : kt::model {
  kt::shared<float, 3> w{this, "w"};
  optim::average averaged{this, {.decay = 1.5}};
  constexpr auto step() const { return kt::updates(averaged(optim::sgd(kt::sum(w), parameters(), 1))); }
  constexpr auto predict() const { return kt::outputs(w + 0).givens(averaged.in_place_of(parameters())); }
};
kt::session<averages> of_averages;
auto average = of_averages.compile<&averages::step>();     // <- momentum and decay of kt::optim
auto predict = of_averages.compile<&averages::predict>();  // <- momentum and decay of kt::optim

struct scheduled : kt::model {
  kt::shared<float> w{this, "w"};
  optim::sgd optimiser{this};
  constexpr auto by(const auto& schedule, unsigned line = __builtin_LINE()) const { return kt::updates(optimiser(w + 0, parameters(), schedule, line)); }
  constexpr auto cosine() const { return by(optim::cosine{.rate = 1, .steps = 0}); }
  constexpr auto backwards() const { return by(optim::cosine{.rate = 1, .steps = -5}); }
  constexpr auto staircase() const { return by(optim::staircase{.rate = 1, .every = 0}); }
  constexpr auto one_cycle() const { return by(optim::one_cycle{.rate = 1, .steps = 0}); }
  constexpr auto rising() const { return by(optim::one_cycle{.rate = 1, .steps = 9, .rising = 1}); }
  constexpr auto warm_up() const { return by(optim::warm_up(-1, 0.5)); }
  constexpr auto nested() const { return by(optim::warm_up(0, optim::cosine{.rate = 1, .steps = 0})); }
  constexpr auto in_lambda() const { return by([](auto steps) { return 2 * optim::cosine{.rate = 1, .steps = 0}(steps); }); }
  constexpr auto by_value() const { return kt::updates(optimiser(optim::clip_by_value(kt::grad(w + 0, parameters()), -1), parameters(), 1)); }
  constexpr auto by_norm() const { return kt::updates(optimiser(optim::clip_by_norm(kt::grad(w + 0, parameters()), -1), parameters(), 1)); }
};
kt::session<scheduled> session;
auto cosine = session.compile<&scheduled::cosine>();        // <- steps and every of a schedule
auto backwards = session.compile<&scheduled::backwards>();  // <- steps and every of a schedule
auto staircase = session.compile<&scheduled::staircase>();  // <- steps and every of a schedule
auto one_cycle = session.compile<&scheduled::one_cycle>();  // <- steps and every of a schedule
auto rising = session.compile<&scheduled::rising>();        // <- rising of one_cycle
auto warm_up = session.compile<&scheduled::warm_up>();      // <- the steps of warm_up
auto nested = session.compile<&scheduled::nested>();        // <- steps and every of a schedule
auto in_lambda = session.compile<&scheduled::in_lambda>();  // <- steps and every of a schedule
auto by_value = session.compile<&scheduled::by_value>();    // <- the limit of clip_by_value
auto by_norm = session.compile<&scheduled::by_norm>();      // <- the limit of clip_by_norm
// clang-format on
int main() {}
