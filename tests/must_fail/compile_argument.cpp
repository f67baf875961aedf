// expect: kroton: the member is a template argument
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct net : kt::model {
  kt::shared<float, batch> W{this, "W"};
  constexpr auto scaled(kt::var<float, batch> x) const { return x * W; }
};
kt::session<net> session;
auto f = session.compile(&net::scaled);  // <- here
auto y = f(kt::tensor<float, 1>({3}));
