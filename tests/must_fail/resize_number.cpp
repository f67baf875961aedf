// expect: kroton: each dimension is given one extent: session.resize(batch(64))
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct net : kt::model {
  kt::shared<float, batch> W{this, "W"};
  constexpr auto scaled(kt::var<float, batch> x) const { return x * W; }
};
void f(kt::session<net>& session) {
  session.resize(64);  // <- here
}
