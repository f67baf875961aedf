#include "../../support.hpp"

TEST_CASE("scaled_bits: integers below a bound") {
  using scaled = kt::ops::scaled_bits;
  constexpr std::uint64_t all = ~std::uint64_t{0};
  static_assert(scaled::apply(all, std::uint64_t{10}) == 9 && scaled::apply(std::uint64_t{0}, all) == 0);
  static_assert(scaled::apply(all, all) == all - 1 && scaled::apply(all, std::uint64_t{0}) == 0);
  static_assert(scaled::apply(std::uint64_t{1} << 63, std::uint64_t{7}) == 3);
  static_assert(scaled::apply(std::uint64_t{0x0123456789abcdef}, std::uint64_t{0xfedcba9876543210}) ==
                0x0121fa00ad77d742);
  const auto packs = kt::simd::to_array(scaled::apply(kt::simd::iota<kt::simd::pack<std::uint64_t, 4>>(all - 1),
                                                      kt::simd::broadcast<kt::simd::pack<std::uint64_t, 4>>(all)));
  CHECK(packs == std::array<std::uint64_t, 4>{all - 2, all - 1, 0, 0});
}
