// A shared matrix that a function replaces: W <- W_update. In Theano the new value could have any size, to start small and grow in stages
// for want of memory; here sizes are part of the type, so that every function of W keeps fitting, and a wrong one is refused.
#include <kroton/kroton.hpp>

#include "check.hpp"

namespace kt = kroton;

inline constexpr struct batch : kt::dim<batch> {} batch;

struct updated : kt::model {
  kt::shared<float, 10, 10> W{this, "W"};
  kt::shared<float, 10>     b{this, "b"};
  constexpr auto forward(kt::var<float, batch, 10> x) const { return kt::dot(x, W) + b; }
  constexpr auto update_w(kt::var<float, 10, 10> W_update) const { return kt::updates(kt::update(W, W_update)); }
};

int main() {
  kt::session<updated> session;
  auto f = session.compile<&updated::forward>();
  auto update_w = session.compile<&updated::update_w>();
  const auto x = example::random_matrix(4, 10, 1), W = example::random_matrix(10, 10, 2);
  const auto before = f(x);
  update_w(W);
  const auto after = f(x);

  bool refused = false;
  try {
    update_w(example::random_matrix(20, 20, 3));
  } catch (const kt::shape_error& wrong_size) {
    std::puts(wrong_size.what());
    refused = true;
  }
  example::comparison compare;
  compare(refused, 1);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 10; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < 10; ++k) sum += double{x(i, k)} * W(k, j);
      compare(before(i, j), 0);
      compare(after(i, j), sum);
    }
  return compare.status();
}
