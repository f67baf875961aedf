// expect: kroton: beta1, beta2, momentum and decay of kt::optim, decrease of lbfgs and rising of one_cycle are from 0 to 1, and not 1
// says: told::line<9>
// says: 'b', 'e', 't', 'a', '2'
#include <kroton/kroton.hpp>
namespace kt = kroton;
struct net : kt::model {
  kt::shared<float, 3> w{this, "w"};
  kt::optim::adam optimiser{this, {.beta2 = 1.5}};
  constexpr auto step() const { return kt::updates(optimiser(kt::sum(w), parameters(), 0.1)); }
};
int main() {
  kt::session<net> session;
  auto step = session.compile<&net::step>();  // <- here
  step();
}
