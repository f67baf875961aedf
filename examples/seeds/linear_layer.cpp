// y = x W + b. In Theano nothing in the program said where it ran: a flag outside decided, and without it the CPU was
// used silently. Here the session is given its context, and there is no fallback: an operation that a context cannot do
// does not compile.
#include <kroton/kroton.hpp>

#include "check.hpp"

namespace kt = kroton;

inline constexpr struct batch : kt::dim<batch> {} batch;

struct linear : kt::model {
  kt::shared<float, 10, 5> w{this, "w", kt::init::normal(0, 1)};
  kt::shared<float, 5> b{this, "b", kt::init::normal(0, 1)};
  constexpr auto forward(kt::var<float, batch, 10> x) const { return kt::dot(x, w) + b; }
};

int main() {
  kt::session<linear> session{kt::context::host()};
  auto f = session.compile<&linear::forward>();
  const auto x = example::random_matrix(100, 10, 1);
  const auto y = f(x);
  std::printf("(%ld, %ld)\n", static_cast<long>(y.extent(0)), static_cast<long>(y.extent(1)));
  return example::right(kt::debug::verify(f, x)) ? 0 : 1;
}
