// This header has functions of numbers for constant expressions, because std::sqrt and similar functions are constexpr
// with g++
// alone: `constexpr double root = kt::constexpr_sqrt(8.0);`
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace kroton {

namespace typed {
// Numbers of twice the precision of double, with which each function computes until its one rounding.
namespace constexpr_math {

/// The exact value is the sum; `low` is at most half a unit in the last place of `high`.
struct pair {
  double high = 0, low = 0;
};
inline constexpr pair ln2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56},
    half_pi{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
inline constexpr double infinity = std::numeric_limits<double>::infinity(),
                        nan = std::numeric_limits<double>::quiet_NaN();

constexpr double absolute(double x) { return x < 0 ? -x : x; }
/// Whether it is an infinity or NaN.
constexpr bool is_special(double x) { return !(absolute(x) <= std::numeric_limits<double>::max()); }

/// Knuth's sum of two numbers without an error.
constexpr pair exact_sum(double a, double b) {
  const double sum = a + b, b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}
/// Dekker's product of two numbers without an error, where nothing overflows or underflows.
constexpr pair exact_product(double a, double b) {
  constexpr double split = 0x1p27 + 1;
  const double a_scaled = split * a, b_scaled = split * b;
  const double a_high = a_scaled - (a_scaled - a), b_high = b_scaled - (b_scaled - b), a_low = a - a_high,
               b_low = b - b_high;
  const double product = a * b;
  return {product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}
constexpr pair operator+(pair a, pair b) {
  const pair high = exact_sum(a.high, b.high), low = exact_sum(a.low, b.low),
             sum = exact_sum(high.high, high.low + low.high);
  return exact_sum(sum.high, sum.low + low.low);
}
constexpr pair operator-(pair a) { return {-a.high, -a.low}; }
constexpr pair operator*(pair a, pair b) {
  const pair product = exact_product(a.high, b.high);
  return exact_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}
constexpr pair operator/(pair a, pair b) {
  const double first = a.high / b.high;
  const pair rest = a + -(pair{first} * b);
  return exact_sum(first, rest.high / b.high);
}

/// 2^n, for n from -1022 to 1023.
constexpr double power_of_two(int n) { return std::bit_cast<double>(static_cast<std::uint64_t>(n + 1023) << 52); }
/// x * 2^n, rounded once where that is a subnormal number, for x about 1 whose result does not overflow.
constexpr double scaled(double x, int n) {
  for (; n > 1000; n -= 1000) x *= power_of_two(1000);
  if (n < -1000) x *= power_of_two(-1000), n += 1000;
  return x * power_of_two(n);
}
/// A positive number as `fraction` * 2^`exponent`, with a fraction from 1 to below 2.
struct decomposed {
  double fraction = 1;
  int exponent = 0;
  constexpr explicit decomposed(double x) {
    const bool is_subnormal = x < std::numeric_limits<double>::min();
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(is_subnormal ? x * 0x1p54 : x);
    exponent = static_cast<int>(bits >> 52) - (is_subnormal ? 1023 + 54 : 1023);
    fraction = std::bit_cast<double>((bits & ((std::uint64_t{1} << 52) - 1)) | (std::uint64_t{1023} << 52));
  }
};

/// The logarithm of a positive number that is finite.
constexpr pair logarithm(double x) {
  decomposed d(x);
  if (d.fraction > 1.4142135623730951) d.fraction /= 2, ++d.exponent;
  // log(f) = 2 atanh((f - 1) / (f + 1)), whose argument is at most 0.172
  const pair s = pair{d.fraction - 1} / exact_sum(d.fraction, 1), square = s * s;
  pair series;
  for (int k = 31; k >= 1; k -= 2) series = series * square + pair{1} / pair{static_cast<double>(k)};
  return pair{static_cast<double>(d.exponent)} * ln2 + pair{2} * s * series;
}

/// The exponential, rounded.
constexpr double exponential(pair x) {
  if (x.high > 800) return infinity;
  if (x.high < -800) return 0;
  const double quotient = x.high / ln2.high;
  const int n = static_cast<int>(quotient < 0 ? quotient - 0.5 : quotient + 0.5);
  const pair rest = x + -(pair{static_cast<double>(n)} * ln2);  // at most 0.35
  pair series{1};
  for (int k = 20; k >= 1; --k) series = pair{1} + rest * series / pair{static_cast<double>(k)};
  if (n > 1024 || (n == 1024 && series.high >= 1)) return infinity;
  return scaled(series.high, n);
}

/// An angle as a number of quarter turns, and the rest of at most an eighth.
struct reduced_angle {
  unsigned quarters = 0;
  pair rest;

  /// Of a positive number that is finite: bits of 2/pi are multiplied with it, but for those that make whole turns.
  constexpr explicit reduced_angle(double x) {
    constexpr std::uint32_t two_over_pi[] = {
        0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
        0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
        0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
        0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
        0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046};
    constexpr int words = 7, limbs = words + 2;
    if (x < 0.78) {
      rest = {x};
      return;
    }
    const decomposed d(x);
    const auto mantissa = static_cast<std::uint64_t>(d.fraction * 0x1p52);  // x is mantissa * 2^exponent
    const int exponent = d.exponent - 52, first = exponent < 2 ? 0 : (exponent - 2) / 32;
    // the product, lowest digits first; it has `fractions` bits behind the point
    const int fractions = 32 * (first + words) - exponent;
    std::uint32_t product[limbs] = {};
    for (int m = 0; m < 2; ++m) {
      std::uint64_t carry = 0;
      for (int w = 0; w < words; ++w) {
        carry += ((mantissa >> (32 * m)) & 0xffffffff) * two_over_pi[first + words - 1 - w] + product[w + m];
        product[w + m] = static_cast<std::uint32_t>(carry);
        carry >>= 32;
      }
      product[words + m] = static_cast<std::uint32_t>(carry);
    }
    const auto bit = [&](int i) { return i < 32 * limbs ? (product[i / 32] >> (i % 32)) & 1 : 0; };
    const bool is_rounded_up = bit(fractions - 1) != 0;
    quarters = (bit(fractions) + 2 * bit(fractions + 1) + (is_rounded_up ? 1 : 0)) % 4;
    pair fraction;
    for (int i = limbs - 1; i >= 0; --i) {
      const int inside = fractions - 32 * i;  // how many of this digit's bits are behind the point
      if (inside <= 0) continue;
      const std::uint32_t mask = inside >= 32 ? 0xffffffff : (std::uint32_t{1} << inside) - 1;
      const std::uint32_t digit = (is_rounded_up ? ~product[i] : product[i]) & mask;  // up to 1 in the last bit of all
      fraction = fraction + pair{static_cast<double>(digit) * power_of_two(-inside)};
    }
    rest = (is_rounded_up ? -fraction : fraction) * half_pi;
  }
};

/// The sine of a number of quarter turns and a rest.
constexpr double sine(unsigned quarters, pair rest) {
  const pair square = rest * rest;
  const bool is_cosine = quarters % 2 != 0;
  pair series{1};
  for (int k = is_cosine ? 24 : 25; k > 1; k -= 2)
    series = pair{1} + -(series * square / pair{static_cast<double>(k * (k - 1))});
  if (!is_cosine) series = series * rest;
  return quarters % 4 < 2 ? series.high : -series.high;
}

}  // namespace constexpr_math
}  // namespace typed

/// The square root; the nearest number, as std::sqrt gives it.
constexpr double constexpr_sqrt(double x) {
  if (x < 0) return typed::constexpr_math::nan;
  if (x == 0 || typed::constexpr_math::is_special(x)) return x;
  typed::constexpr_math::decomposed d(x);
  if (d.exponent % 2 != 0) d.fraction *= 2, --d.exponent;
  double root = 0.5 * (d.fraction + 1);
  for (int i = 0; i < 6; ++i) root = 0.5 * (root + d.fraction / root);
  const typed::constexpr_math::pair square = typed::constexpr_math::exact_product(root, root);
  root += ((d.fraction - square.high) - square.low) / (2 * root);
  return typed::constexpr_math::scaled(root, d.exponent / 2);
}

/// The exponential, with an error of less than 0.51 units in the last place, 1 where it is a subnormal number.
constexpr double constexpr_exp(double x) { return x != x ? x : typed::constexpr_math::exponential({x}); }

/// The natural logarithm, with an error of less than 0.51 units in the last place; NaN of negative numbers.
constexpr double constexpr_log(double x) {
  if (x < 0) return typed::constexpr_math::nan;
  if (x == 0) return -typed::constexpr_math::infinity;
  return typed::constexpr_math::is_special(x) ? x : typed::constexpr_math::logarithm(x).high;
}

/// `x` to the power `y`, with an error of less than 0.51 units in the last place, 1 where it is a subnormal number.
/// Special cases are those of std::pow.
constexpr double constexpr_pow(double x, double y) {
  using namespace typed::constexpr_math;
  if (y == 0 || x == 1) return 1;
  if (x != x || y != y) return nan;
  const double size = absolute(x), exponent = absolute(y);
  const bool is_large = exponent >= 0x1p53;  // then it is an even integer, or infinite
  const bool is_integer = is_large || static_cast<double>(static_cast<std::int64_t>(y)) == y;
  const bool is_odd = !is_large && is_integer && static_cast<std::int64_t>(y) % 2 != 0;
  const double sign = is_odd && (x < 0 || (x == 0 && std::bit_cast<std::int64_t>(x) < 0)) ? -1 : 1;
  if (size == 1 && (is_integer || x > 0)) return sign;
  const bool grows = (size > 1) == (y > 0);
  if (x == 0 || is_special(size)) return sign * (grows ? infinity : 0);
  if (x < 0 && !is_integer && !is_special(y)) return nan;
  if (exponent > 1e20) return grows ? infinity : 0;
  return sign * exponential(pair{y} * logarithm(size));
}

/// The sine, with an error of less than 0.51 units in the last place for any angle; NaN of infinities.
constexpr double constexpr_sin(double x) {
  using namespace typed::constexpr_math;
  if (is_special(x)) return nan;
  if (absolute(x) < 0x1p-27) return x;
  const reduced_angle angle(absolute(x));
  const double value = sine(angle.quarters, angle.rest);
  return x < 0 ? -value : value;
}

/// The cosine, as constexpr_sin.
constexpr double constexpr_cos(double x) {
  using namespace typed::constexpr_math;
  if (is_special(x)) return nan;
  const reduced_angle angle(absolute(x));
  return sine(angle.quarters + 1, angle.rest);
}

}  // namespace kroton
