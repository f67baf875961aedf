// log(exp(relu(x W + b))). In Theano it depended on the library's kernels which of these operations ran on the device,
// and which fell back to the CPU. Here everything after the matrix product is one kernel, and that is asserted.
#include <kroton/kroton.hpp>

#include "check.hpp"

namespace kt = kroton;

inline constexpr struct batch : kt::dim<batch> {} batch;

struct layer : kt::model {
  kt::shared<float, 10, 5> w{this, "w", kt::init::normal(0, 1)};
  kt::shared<float, 5> b{this, "b", kt::init::normal(0, 1)};
  constexpr auto forward(kt::var<float, batch, 10> x) const { return kt::log(kt::exp(kt::relu(kt::dot(x, w) + b))); }
};
static_assert(kt::stats<&layer::forward>().launches == 2);

int main() {
  kt::session<layer> session;
  auto f = session.compile<&layer::forward>();
  return example::right(kt::debug::verify(f, example::random_matrix(10'000, 10, 1))) ? 0 : 1;
}
