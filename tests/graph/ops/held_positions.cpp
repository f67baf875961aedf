#include "../../support.hpp"

#include <kroton/kroton.hpp>

TEST_CASE("held_positions: the first ones that hold, or all in two parts, and their number") {
  using namespace test;
  using positions = std::vector<std::int64_t>;
  const auto at_most_four = [](kt::var<bool, n> mask) {
    return kt::call_routine<kt::ops::held_positions, kt::held_form{4}>(mask);
  };
  const auto all = [](kt::var<bool, n> mask) {
    return kt::call_routine<kt::ops::held_positions, kt::held_form{0, true}>(mask);
  };
  const tensor mixed = integers<bool>({0, 1, 1, 0, 1}), none = integers<bool>({0, 0}),
               five = integers<bool>({1, 1, 1, 1, 1}), empty = integers<bool>({});
  CHECK(eval(at_most_four, {mixed}).integers == positions{1, 2, 4, 5, 3});
  CHECK(eval(at_most_four, {none}).integers == positions{2, 2, 2, 2, 0});
  CHECK(eval(at_most_four, {five}).integers == positions{0, 1, 2, 3, 5});
  CHECK(eval(at_most_four, {empty}).integers == positions{0, 0, 0, 0, 0});
  CHECK(eval(all, {mixed}).integers == positions{1, 2, 4, 0, 3, 3});
  CHECK(eval(all, {none}).integers == positions{0, 1, 0});
  CHECK(eval(all, {empty}).integers == positions{0});
}
