// expect: kroton: session.set and kt::with take a tensor or view
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct net : kt::model {
  kt::shared<float, batch> W{this, "W"};
};
void f(kt::session<net>& session) {
  session.set<&net::W>(std::vector<double>(3));  // <- here
}
