#include "../../support.hpp"

TEST_CASE(
    "standard_normal, standard_exponential, truncated_normal, open_interval: the reference, in double, and the "
    "kernels") {
  for (const std::uint32_t bits : {0u, 1u, 0x12345678u, 0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFEu, 0xFFFFFFFFu}) {
    const double number = bits;
    CHECK(kt::ops::standard_normal::reference(kt::dtype::uint32, &number, 1) ==
          doctest::Approx(kt::ops::standard_normal::apply(bits)).epsilon(1e-6));
    CHECK(kt::ops::standard_exponential::reference(kt::dtype::uint32, &number, 1) ==
          doctest::Approx(kt::ops::standard_exponential::apply(bits)).epsilon(1e-6));
    CHECK(kt::ops::truncated_normal::reference(kt::dtype::uint32, &number, 1) ==
          doctest::Approx(kt::ops::truncated_normal::apply(bits)).epsilon(1e-6));
    CHECK(kt::ops::open_interval<true>::reference(kt::dtype::uint32, &number, 1) ==
          doctest::Approx(kt::ops::open_interval<true>::apply(bits)).epsilon(1e-6));
    CHECK(kt::ops::open_interval<true>::apply(bits) == kt::ops::open_interval<false>::apply(~bits));
  }
  for (const std::uint64_t bits : {std::uint64_t{0}, std::uint64_t{12345}, (std::uint64_t{1} << 52) - 1}) {
    const double number = static_cast<double>(bits);
    CHECK(kt::ops::standard_normal::reference(kt::dtype::uint64, &number, 1) ==
          doctest::Approx(kt::ops::standard_normal::apply(bits)).epsilon(1e-12));
    CHECK(kt::ops::standard_exponential::reference(kt::dtype::uint64, &number, 1) ==
          doctest::Approx(kt::ops::standard_exponential::apply(bits)).epsilon(1e-12));
  }
}
