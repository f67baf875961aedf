#include "../../support.hpp"

TEST_CASE("unit_interval: the reference has the numbers of the kernels") {
  const auto same = [](auto op, double bits, double expected) {
    CHECK(decltype(op)::reference(kt::dtype::uint32, &bits, 1) == expected);
  };
  same(kt::ops::unit_interval<24>(), 0xFFFFFFFF, 1 - 0x1p-24);
  same(kt::ops::unit_interval<24>(), 0x800000FF, 0.5);
  same(kt::ops::unit_interval<11>(), 0xFFFFFFFF, 1 - 0x1p-11);
  same(kt::ops::unit_interval<8>(), 0x01FFFFFF, 0x1p-8);
  same(kt::ops::unit_interval<52>(), 0x1p51, 0.5);
}
