// The generator of random bits, by its known answers, as numbers and as packs; and the numbers that are made of bits.
#include <kroton/arithmetic/simd/draws.hpp>
#include <kroton/arithmetic/simd/philox.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <vector>

using namespace kroton::simd;
using kroton::arithmetic::philox_words;

namespace {

constexpr bool is(const philox_words& found, std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  return found.of[0] == a && found.of[1] == b && found.of[2] == c && found.of[3] == d;
}
// the vectors of Random123 1.09, kat_vectors, philox4x32 10
static_assert(is(kroton::arithmetic::philox(0, 0, 0), 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
static_assert(is(kroton::arithmetic::philox(~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}), 0x408f276d,
                 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd));
static_assert(is(kroton::arithmetic::philox(0x85a308d3243f6a88, 0x0370734413198a2e, 0x299f31d0a4093822), 0xd16cfe09,
                 0x94fdcceb, 0x5001e420, 0x24126ea1));

constexpr std::uint64_t where = 0x0123456789abcdef, key = 0xfedcba9876543210;

/// Byte `i` of those of consecutive counters.
std::uint64_t random_byte(std::uint64_t counter, std::uint64_t i) {
  return kroton::arithmetic::philox(counter + i / 16, where, key).of[i % 16 / 4] >> (i % 4 * 8) & 0xFF;
}
/// Whether element `at` is below a bound, of which the upper `bits` bits are compared with a digit.
bool is_below_bound(std::uint64_t at, std::uint64_t bound, unsigned bits) {
  const std::uint64_t place = at % (512 / bits) / 64 * bits, together = at / (512 / bits);
  const std::uint64_t digit = random_byte(4 * together, at % 64) >> place & ((1u << bits) - 1);
  const std::uint64_t column = random_byte((std::uint64_t{1} << 60) + at / 1024 * 4, at % 64),
                      row = random_byte(std::uint64_t{2} << 60, at / 64 % 16);
  return (digit << (16 - bits) | (bits == 8 ? column ^ row : 0)) < bound;
}

/// Packs of `W` elements that begin anywhere, also where the words of a counter, or the lower half of one, end.
template <class Bits, int W>
void check_packs() {
  drawn_bits<Bits> drawn;
  for (const std::uint64_t first :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{5}, std::uint64_t{250}, std::uint64_t{251}, std::uint64_t{3},
        (std::uint64_t{1} << 34) - 7, (std::uint64_t{1} << 40) + 2}) {
    const auto bits = to_array(drawn.template take<W>(consecutive{first}, where, key));
    pack<std::uint64_t, W> positions = iota<pack<std::uint64_t, W>>(first);
    const auto same = to_array(drawn.template take<W>(positions, where, key));
    const auto twice = to_array(drawn.template take<W>(positions + positions, where, key));
    Bits lanes[W];
    kroton::arithmetic::random_bits(first, where, key, lanes);
    bool agree = true;
    for (std::size_t i = 0; i < W; ++i) {
      const auto expected = kroton::arithmetic::random_bits<Bits>(first + i, where, key);
      agree = agree && bits[i] == expected && same[i] == expected && lanes[i] == expected &&
              twice[i] == kroton::arithmetic::random_bits<Bits>(2 * (first + i), where, key);
    }
    CAPTURE(first);
    CHECK(agree);
  }
}

/// Comparisons with a bound, of packs that begin anywhere, also where results that are drawn together end.
template <int W>
void check_below(std::uint64_t bound, unsigned bits) {
  using mask = mask<4, W>;
  drawn_below drawn;
  for (const std::uint64_t first :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{57}, std::uint64_t{2030}, std::uint64_t{2045},
        std::uint64_t{2047}, std::uint64_t{3}, (std::uint64_t{1} << 34) - 7, (std::uint64_t{1} << 40) + 2}) {
    const auto at = iota<pack<std::uint64_t, W>>(first);
    const std::uint64_t near = to_bits(drawn.take<mask>(consecutive{first}, where, key, bound)),
                        same = to_bits(drawn.take<mask>(at, where, key, bound)),
                        twice = to_bits(drawn.take<mask>(at + at, where, key, bound));
    bool lanes[std::min(W, 16)];
    kroton::arithmetic::are_below(first, where, key, bound, lanes);
    bool agree = true;
    for (std::uint64_t i = 0; i < W; ++i) {
      const bool expected = is_below_bound(first + i, bound, bits);
      agree = agree && (near >> i & 1) == expected && (same >> i & 1) == expected &&
              lanes[i % 16] == is_below_bound(first + i % 16, bound, bits) &&
              kroton::arithmetic::is_below(first + i, where, key, bound) == expected &&
              (twice >> i & 1) == is_below_bound(2 * (first + i), bound, bits);
    }
    CAPTURE(bound);
    CAPTURE(first);
    CHECK(agree);
  }
}

/// The probability of less than z, from the nearer end, and the distribution's own from its bits.
template <class T, class Bits>
void check_quantiles(int digits) {
  constexpr int width = 8;
  const double top = std::ldexp(1.0, digits);
  double worst_normal = 0, worst_exponential = 0;
  bool agree = true;
  for (int i = 0; i < 4000; ++i) {
    std::array<Bits, width> bits;
    for (int j = 0; j < width; ++j) {
      const auto any = kroton::arithmetic::random_bits<std::uint64_t>(static_cast<std::uint64_t>(i * width + j), 1, 2);
      const auto all = static_cast<Bits>(any >> (64 - digits)), end = static_cast<Bits>(top - 1);
      bits[static_cast<std::size_t>(j)] = i > 20   ? all
                                          : i < 10 ? static_cast<Bits>(i * width + j)
                                                   : static_cast<Bits>(end - all % 100);
    }
    const auto normal = to_array(standard_normal(from_array<pack<Bits, width>>(bits))),
               exponential = to_array(standard_exponential(from_array<pack<Bits, width>>(bits)));
    for (std::size_t j = 0; j < width; ++j) {
      if constexpr (fma_is_fused) {  // numbers are drawn as packs are
        agree = agree && normal[j] == standard_normal(bits[j]) && exponential[j] == standard_exponential(bits[j]);
      }
      const double below = (static_cast<double>(bits[j]) + 0.5) / top,
                   above = (top - static_cast<double>(bits[j]) - 0.5) / top;
      const double z = normal[j], end = 0.5 * std::erfc(std::abs(z) / std::sqrt(2.0));
      // a relative error of z changes the probability of the tail z * z times as much
      worst_normal = std::max(worst_normal, std::abs(end / std::min(below, above) - 1) / (1 + z * z));
      agree = agree && (z > 0) == (below > 0.5);
      const double expected = below < 0.5 ? -std::log(below) : -std::log1p(-above);
      worst_exponential = std::max(worst_exponential, std::abs(exponential[j] / expected - 1));
    }
  }
  CHECK(agree);
  CHECK(worst_normal < (sizeof(T) == 4 ? 5e-7 : 1e-12));
  CHECK(worst_exponential < (sizeof(T) == 4 ? 6e-7 : 1e-15));
}

TEST_CASE("random bits: packs of any width are the bits of their elements") {
  check_packs<std::uint32_t, 32>();
  check_packs<std::uint32_t, 16>();
  check_packs<std::uint32_t, 8>();
  check_packs<std::uint32_t, 1>();
  check_packs<std::uint64_t, 16>();
  check_packs<std::uint64_t, 4>();
  check_packs<std::uint64_t, 1>();
}

TEST_CASE("random bits: packs of comparisons are those of their elements") {
  constexpr struct {
    unsigned bound, bits;
  } cases[] = {{0, 1},     {0x8000, 1}, {0x10000, 1}, {0x4000, 2}, {0xC000, 2}, {0x6000, 4}, {0xF000, 4},
               {0x100, 8}, {0x1900, 8}, {0x1, 8},     {0xFF, 8},   {6554, 8},   {0x8001, 8}, {0xFFFF, 8}};
  for (const auto& [bound, bits] : cases) {
    check_below<16>(bound, bits);
    check_below<8>(bound, bits);
    check_below<2>(bound, bits);
  }
  check_below<64>(6554, 8);
}

TEST_CASE("random bits: comparisons hold as often as the bound says, and independently") {
  constexpr int count = 1 << 18;
  for (const unsigned bound : {66u, 6554u, 0x1980u, 0x4000u, 0x8000u, 0xF000u}) {
    const double p = static_cast<double>(bound) / 0x10000;
    drawn_below drawn;
    std::vector<std::uint8_t> below;
    for (std::uint64_t at = 0; at < count; at += 16)
      for (std::uint64_t bits = to_bits(drawn.take<mask<4, 16>>(consecutive{at}, where, key, bound)), i = 0; i < 16;
           ++i)
        below.push_back(bits >> i & 1);
    CAPTURE(bound);
    CHECK(std::abs(std::accumulate(below.begin(), below.end(), 0) - count * p) < 5 * std::sqrt(count * p * (1 - p)));
    for (const std::ptrdiff_t apart : {1, 2, 16, 64, 128, 256, 1024}) {  // which share a column, a row, or a byte
      const double both = std::inner_product(below.begin() + apart, below.end(), below.begin(), 0.0);
      CAPTURE(apart);
      CHECK(std::abs(both - count * p * p) < 5 * std::sqrt(count * p * p) + 1);
    }
  }
}

TEST_CASE("random numbers: quantiles of floats and doubles, and their ends") {
  check_quantiles<float, std::uint32_t>(32);
  check_quantiles<double, std::uint64_t>(52);
  CHECK(standard_normal(std::uint32_t{0}) == doctest::Approx(-6.33796));
  CHECK(standard_normal(~std::uint32_t{0}) == -standard_normal(std::uint32_t{0}));
  CHECK(standard_normal((std::uint64_t{1} << 52) - 1) == doctest::Approx(8.2095));
  CHECK(standard_exponential(~std::uint32_t{0}) == doctest::Approx(std::ldexp(1.0, -33)));
  CHECK(standard_exponential(std::uint32_t{0}) == doctest::Approx(33 * std::log(2.0)));
  CHECK(unit_interval<24>(~std::uint32_t{0}) == 1 - 0x1p-24f);
  CHECK(unit_interval<8>(std::uint32_t{0x80ffffff}) == 0.5f);
  CHECK(unit_interval<52>((std::uint64_t{1} << 52) - 1) == 1 - 0x1p-52);
  CHECK(to_array(unit_interval<24>(broadcast<pack<std::uint32_t, 8>>(0xC0000000)))[7] == 0.75f);
}

}  // namespace
