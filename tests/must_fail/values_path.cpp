// expect: kroton: only a kt::shared of the session's model has values
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct layer : kt::model {
  using kt::model::model;
  kt::shared<float, 3> W{this, "W"};
};
struct net : kt::model {
  kt::stack<layer, 2> layers{this, "layers"};
};
auto values = kt::session<net>().values<&net::layers, 2, &layer::W>();  // <- here
