// How the accuracy tests measure: distance in units in the last place, over samples of a whole floating-point
// type.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <kroton/arithmetic/simd/simd.hpp>

namespace simd_test {

/// How many units in the last place of `T` there are between `got` and the exact result; huge where only one
/// of them is NaN, infinite beyond rounding, or where the signs of two zeros differ.
template <class T>
double ulp_distance(T got, long double exact) {
  constexpr double wrong = 1e30;
  const T rounded = static_cast<T>(exact);
  if (std::isnan(rounded) || std::isnan(got)) return std::isnan(rounded) && std::isnan(got) ? 0 : wrong;
  if (std::isinf(rounded) || std::isinf(got)) {
    // One step from the largest number to infinity is an error of one unit.
    const auto finite = [](T x) { return std::isinf(x) ? std::copysign(std::numeric_limits<T>::max(), x) : x; };
    if (got == rounded) return 0;
    return std::isinf(exact) ? wrong : 1 + ulp_distance<T>(finite(got), static_cast<long double>(finite(rounded)));
  }
  if (got == T{0} && rounded == T{0}) return std::signbit(got) == std::signbit(rounded) ? 0 : wrong;
  int exponent = 0;
  std::frexp(rounded, &exponent);
  exponent = std::max(exponent, std::numeric_limits<T>::min_exponent);
  const long double unit = std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits);
  return static_cast<double>(std::fabs(static_cast<long double>(got) - exact) / unit);
}

template <class T>
using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// Numbers at and next to which functions change their ways.
template <class T>
void add_edges(std::vector<T>& to) {
  using limits = std::numeric_limits<T>;
  const T pi = static_cast<T>(3.14159265358979323846264338327950288L);
  for (T x : {T(0),
              limits::denorm_min(),
              limits::min(),
              limits::max(),
              limits::infinity(),
              limits::quiet_NaN(),
              limits::epsilon(),
              T(0.5),
              T(1),
              T(1.5),
              T(2),
              T(2.5),
              T(3),
              T(4),
              T(8),
              T(10),
              T(16),
              T(64),
              T(100),
              T(1e10),
              T(1e20),
              T(87),
              T(87.33654),
              T(88),
              T(88.376),
              T(88.5),
              T(88.72283),
              T(89),
              T(103.97),
              T(104),
              T(125.5),
              T(126),
              T(127),
              T(127.5),
              T(128),
              T(149),
              T(149.5),
              T(150),
              T(151),
              T(708),
              T(708.4),
              T(709),
              T(709.4),
              T(709.78),
              T(710),
              T(744.44),
              T(745),
              T(745.2),
              T(746),
              T(1021.5),
              T(1022),
              T(1023),
              T(1023.5),
              T(1024),
              T(1074),
              T(1075),
              T(1076),
              T(0.84375),
              T(0.65),
              T(10.05),
              T(10.06),
              T(9.19),
              T(9.2),
              T(26.5),
              T(26.55),
              T(27.2),
              T(27.3),
              T(8388607.5),
              T(4503599627370495.5),
              T(18.7),
              T(9.01),
              T(0.625)}) {
    T below = x, above = x;
    for (int i = 0; i < 4; ++i) {
      for (T near : {below, above}) to.insert(to.end(), {near, -near});
      below = std::nextafter(below, -limits::infinity());
      above = std::nextafter(above, limits::infinity());
    }
  }
  for (int n = 1; n < 2000; ++n) {  // near multiples of pi/2 cancellation is worst
    const T x = static_cast<T>(n) * (pi / 2);
    to.insert(to.end(), {x, -x, std::nextafter(x, T(0)), std::nextafter(x, limits::infinity())});
  }
}

/// Samples of all numbers of a type: by bit pattern, more around 1, and the edges; padded to whole packs of
/// up to 64.
template <class T>
const std::vector<T>& samples() {
  static const std::vector<T> all = [] {
    std::vector<T> to;
    const auto add = [&](bits_of<T> bits) { to.push_back(std::bit_cast<T>(bits)); };
    std::mt19937_64 random(42);
    if constexpr (sizeof(T) == 4) {
      for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 4099) add(static_cast<std::uint32_t>(bits));
    } else {
      for (int i = 0; i < 100000; ++i) add(random());
      for (int i = 0; i < 100000; ++i) {  // between 2^-40 and 2^12, where most functions do their work
        const std::uint64_t bits = random();
        add((bits & 0x800fffffffffffff) | (1023 - 40 + (bits >> 52 & 0x7ff) % 52) << 52);
      }
      for (int i = 0; i < 50000; ++i)
        to.push_back(std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), -63) * 1100);
      for (int i = 0; i < 50000; ++i)
        to.push_back(std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), -63) * 30);
    }
    for (int i = 0; i < 50000; ++i)
      to.push_back(T(1) +
                   static_cast<T>(std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), -63 - i % 24)));
    add_edges(to);
    while (to.size() % 64 != 0) to.push_back(T(1));
    return to;
  }();
  return all;
}

/// The largest distance between `function` of packs and `exact` over the samples, with the argument at which
/// it is found.
template <class T, class Function, class Exact>
void check_accuracy(const char* name, Function function, Exact exact, double bound = 4) {
  using P = kroton::simd::pack<T, kroton::simd::lanes<T>>;
  using reference = std::conditional_t<sizeof(T) == 4, double, long double>;
  double largest = 0;
  T where = 0, found = 0;
  const std::vector<T>& x = samples<T>();
  for (std::size_t i = 0; i < x.size(); i += P::size) {
    const auto got = to_array(function(kroton::simd::load<P>(&x[i])));
    for (std::size_t k = 0; k < P::size; ++k) {
      const double distance =
          ulp_distance<T>(got[k], static_cast<long double>(exact(static_cast<reference>(x[i + k]))));
      if (distance > largest) largest = distance, where = x[i + k], found = got[k];
    }
  }
  MESSAGE(std::string(name), ": ", largest, " ulp at ", static_cast<double>(where));
  CHECK_MESSAGE(largest <= bound, std::string(name), " of ", static_cast<double>(where), " gives ",
                static_cast<double>(found));
}

}  // namespace simd_test
