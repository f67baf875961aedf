// expect: kroton: chunked: the dimension is the first axis of arguments and outputs that have it, and no axis of shared variables
// says: told::shared<'s', 't', 'a', 't', 'e'>
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct recurrent : kt::model {
  kt::shared<float, batch, 3> state{this, "state"};
  constexpr auto step(kt::var<float, batch, 3> x) const { return kt::tanh(x + state); }
};
kt::session<recurrent> session;
auto f = session.compile<&recurrent::step>();
auto g = kt::chunked<batch>(f, 32);  // <- here
