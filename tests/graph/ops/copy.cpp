#include <kroton/graph/ops/copy.hpp>

#include "../../support.hpp"

TEST_CASE("copy: the same elements") {
  using namespace test;
  const auto f = [](kt::var<double, n, m> x) {
    return kt::expr<double, kt::typed::extents_of<m, n>>(kt::graph::copy_term(kt::transpose(x).untyped()));
  };
  check_tensor(eval(f, {matrix(2, 2, {1, 2, inf, quiet_nan})}), {2, 2}, {1, inf, 2, quiet_nan});
}
