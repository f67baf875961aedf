#include "../support.hpp"

#include <bit>

namespace {

static_assert(sizeof(kt::half) == 2 && std::is_trivially_copyable_v<kt::half>);
static_assert(std::is_convertible_v<kt::half, float> && !std::is_convertible_v<float, kt::half>);
static_assert(kt::half(1.0f) + kt::half(0.5) == 1.5f);
static_assert(kt::half(65504).bits() == 0x7bff && kt::half(65520.0).bits() == 0x7c00 &&
              kt::half(65519.0f).bits() == 0x7bff);
static_assert(kt::bfloat16(1.0f).bits() == 0x3f80 && kt::bfloat16(-0.0f).bits() == 0x8000);
static_assert(std::numeric_limits<kt::half>::max() == 65504.0f && std::numeric_limits<kt::half>::min() == 0x1p-14f);
static_assert(std::numeric_limits<kt::half>::epsilon() == 0x1p-10f);
static_assert(std::numeric_limits<kt::bfloat16>::epsilon() == 0x1p-7f);
static_assert(std::numeric_limits<kt::bfloat16>::denorm_min() == 0x1p-133f);
static_assert(kt::dtype_of<kt::half> == kt::dtype::float16 && kt::is_floating(kt::dtype::bfloat16));
static_assert(!kt::is_integer(kt::dtype::float16) &&
              kt::arithmetic::computed_in(kt::dtype::bfloat16) == kt::dtype::float32);

/// What the bits of a 16-bit float mean, by the definition of the format.
double meaning(unsigned bits, int exponent_bits) {
  const int fraction_bits = 15 - exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(bits >> fraction_bits) & ((1 << exponent_bits) - 1);
  const double fraction = static_cast<double>(bits & ((1u << fraction_bits) - 1));
  const double sign = bits >> 15 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1) return fraction != 0 ? test::quiet_nan : sign * test::inf;
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
  return sign * std::ldexp(fraction + std::ldexp(1.0, fraction_bits), exponent - bias - fraction_bits);
}

template <class T>
void check_every_number() {
  const unsigned infinity = std::numeric_limits<T>::infinity().bits();
  int wrong = 0;
  const auto expect = [&](float x, unsigned bits) { wrong += T(x).bits() != bits || T(-x).bits() != (bits | 0x8000u); };
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const float x = T::from_bits(static_cast<std::uint16_t>(bits));
    const double expected = meaning(bits, T::exponent_bits);
    wrong += std::isnan(expected) ? !std::isnan(x) || !std::isnan(static_cast<float>(T(x)))
                                  : static_cast<double>(x) != expected || T(x).bits() != bits;
  }
  for (unsigned bits = 0; bits + 1 < infinity; ++bits) {  // between two neighbours
    const double low = meaning(bits, T::exponent_bits), high = meaning(bits + 1, T::exponent_bits);
    const float middle = static_cast<float>((low + high) / 2);
    expect(middle, bits % 2 == 0 ? bits : bits + 1);
    expect(std::nextafter(middle, 0.0f), bits);
    expect(std::nextafter(middle, HUGE_VALF), bits + 1);
  }
  // as if there were numbers after the largest
  const double largest = meaning(infinity - 1, T::exponent_bits);
  const float limit = static_cast<float>(largest + (largest - meaning(infinity - 2, T::exponent_bits)) / 2);
  expect(std::nextafter(limit, 0.0f), infinity - 1);
  expect(limit, infinity);
  expect(HUGE_VALF, infinity);
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE(
    "every half is the float that its bits say, and what lies between two is rounded to the nearest, or the "
    "even one") {
  check_every_number<kt::half>();
}
TEST_CASE(
    "every bfloat16 is the float that its bits say, and what lies between two is rounded to the nearest, or "
    "the even one") {
  check_every_number<kt::bfloat16>();
}
