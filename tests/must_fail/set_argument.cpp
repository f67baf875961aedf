// expect: kroton: the member is a template argument
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct net : kt::model {
  kt::shared<float, batch> W{this, "W"};
};
void f(kt::session<net>& session) {
  session.set(&net::W, std::vector<float>(3));  // <- here
}
