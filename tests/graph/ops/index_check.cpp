#include "../../support.hpp"

TEST_CASE("index_check: indices pass as they are, and what is outside is an error") {
  using namespace test;
  const auto f = [](kt::var<std::int64_t, m> i) {
    return kt::expr<std::int64_t, kt::typed::extents_of<m>>(kt::graph::check_index(i.untyped(), 3));
  };
  check_tensor(eval(f, {vector({0, 2, 1})}), {3}, {0, 2, 1});
  check_tensor(eval(f, {vector({})}), {0}, {});
  CHECK_THROWS_AS(eval(f, {vector({0, 3})}), kt::index_error);
  CHECK_THROWS_AS(eval(f, {vector({-1})}), kt::index_error);
}
