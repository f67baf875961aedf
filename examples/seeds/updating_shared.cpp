// A shared matrix that a function replaces: W <- W_update. In Theano the new value could have any size, to start small
// and grow in stages for want of memory; here sizes are part of the type, so that every function of W keeps fitting,
// and a wrong one is refused.
#include <kroton/kroton.hpp>

#include "check.hpp"

namespace kt = kroton;

inline constexpr struct batch : kt::dim<batch> {} batch;

struct updated : kt::model {
  kt::shared<float, 10, 10> W{this, "W"};
  kt::shared<float, 10> b{this, "b"};
  constexpr auto forward(kt::var<float, batch, 10> x) const { return kt::dot(x, W) + b; }
  constexpr auto update_w(kt::var<float, 10, 10> W_update) const { return kt::updates(kt::update(W, W_update)); }
};

int main() {
  kt::session<updated> session;
  auto f = session.compile<&updated::forward>();
  auto update_w = session.compile<&updated::update_w>();
  const auto x = example::random_matrix(4, 10, 1), W = example::random_matrix(10, 10, 2);
  // each is a call, and compares what it returned, or wrote to W, with what the reference interpreter makes of the
  // values before
  const bool right = example::right(kt::debug::verify(f, x)) && example::right(kt::debug::verify(update_w, W)) &&
                     example::right(kt::debug::verify(f, x));
  try {
    update_w(example::random_matrix(20, 20, 3));
    std::puts("a matrix of 20 x 20 was not refused");
    return 1;
  } catch (const kt::shape_error& wrong_size) {
    std::puts(wrong_size.what());
  }
  return right ? 0 : 1;
}
