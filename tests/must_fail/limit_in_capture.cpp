// expect: kroton: the function is so large that a limit of the compiler on constant evaluation ends it; these flags raise the limit
// flags of gcc: -fconstexpr-ops-limit=900000
// flags of clang: -fconstexpr-steps=55000
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct recurrent : kt::model {
  kt::shared<float, 8, 8> again{this, "again"};
  constexpr auto train(kt::var<float, batch, 8> x, kt::var<float> rate) const {
    auto cost = kt::sum(x);
    for (int i = 0; i < 24; ++i) {
      x = kt::tanh(kt::dot(x, again) + x);
      cost = cost + kt::sum(kt::sqr(x));
    }
    return kt::outputs(cost).updates(kt::optim::sgd(cost, parameters(), rate));
  }
};
kt::session<recurrent> session;
auto train = session.compile<&recurrent::train>();  // <- here
