// y = x W + b. In Theano nothing in the program said where it ran: a flag outside decided, and without it the CPU was used silently.
// Here the session is given its context, and there is no fallback: an operation that a context cannot do does not compile.
#include <kroton/kroton.hpp>

#include "check.hpp"

namespace kt = kroton;

inline constexpr struct batch : kt::dim<batch> {} batch;

struct linear : kt::model {
  kt::shared<float, 10, 5> w{this, "w", kt::init::normal(0, 1)};
  kt::shared<float, 5>     b{this, "b", kt::init::normal(0, 1)};
  constexpr auto forward(kt::var<float, batch, 10> x) const { return kt::dot(x, w) + b; }
};

int main() {
  kt::session<linear> session{kt::context::host()};
  auto f = session.compile<&linear::forward>();
  const auto x = example::random_matrix(100, 10, 1);
  const auto y = f(x);
  std::printf("(%ld, %ld)\n", static_cast<long>(y.extent(0)), static_cast<long>(y.extent(1)));

  const auto w = session.values<&linear::w>(), b = session.values<&linear::b>();
  example::comparison compare;
  for (std::size_t i = 0; i < 100; ++i)
    for (std::size_t j = 0; j < 5; ++j) {
      double sum = b[j];
      for (std::size_t k = 0; k < 10; ++k) sum += double{x(i, k)} * w[k * 5 + j];
      compare(y(i, j), sum);
    }
  return compare.status();
}
