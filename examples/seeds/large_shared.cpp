// A shared matrix of 10,000 x 10,000. Theano reserved memory ahead by rules of its own, and could run out of it where
// the program needed less. Here a session holds its variables and nothing more, and what a call needs beside them is a
// constant of the program.
#include <kroton/kroton.hpp>

#include "check.hpp"

namespace kt = kroton;

inline constexpr struct batch : kt::dim<batch> {} batch;

struct large : kt::model {
  static constexpr std::int64_t size = 10'000;
  kt::shared<float, size, size> W{this, "W"};
  kt::shared<float, size> b{this, "b"};
  constexpr auto forward(kt::var<float, batch, size> x) const { return kt::dot(x, W) + b; }
};
static_assert(kt::peak_bytes<&large::forward>(batch(2)) <= 2 * large::size * 4);  // one intermediate result at most

int main() {
  constexpr std::size_t size = large::size;
  kt::session<large> session{kt::context::host()};  // where values of variables can be written in place
  auto f = session.compile<&large::forward>();
  std::printf("variables: %ld bytes; temporaries of a call: %ld bytes\n", static_cast<long>(4 * (size * size + size)),
              static_cast<long>(kt::peak_bytes<&large::forward>(batch(2))));
  const auto W = session.values<&large::W>(), b = session.values<&large::b>();
  for (std::size_t i = 0; i < size; ++i) W[i * size + i] = 2;  // the rest is 0
  example::fill(b, 2);
  const auto x = example::random_matrix(2, size, 1);
  const auto y = f(x);

  kt::debug::comparison found;  // by hand: the reference interpreter is far too slow for this
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < size; ++j) found.compare("y", i * size + j, y(i, j), 2.0 * x(i, j) + b[j], 1e-5);
  return example::right(found) ? 0 : 1;
}
