// Runs a check for packs of every element type and of the widths that kernels use.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include <kroton/arithmetic/simd/simd.hpp>

namespace simd_test {

/// `check.template operator()<T>()` for every integer type.
template <class Check>
void each_integer(Check check) {
  check.template operator()<std::int8_t>();
  check.template operator()<std::int16_t>();
  check.template operator()<std::int32_t>();
  check.template operator()<std::int64_t>();
  check.template operator()<std::uint8_t>();
  check.template operator()<std::uint16_t>();
  check.template operator()<std::uint32_t>();
  check.template operator()<std::uint64_t>();
}

template <class Check>
void each_real(Check check) {
  check.template operator()<float>();
  check.template operator()<double>();
}

template <class Check>
void each_type(Check check) {
  each_integer(check);
  each_real(check);
}

/// `check.template operator()<T, W>()` for W = 1, 2, the width of kernels, and a register or two of this type.
template <class T, class Check>
void each_width(Check check) {
  constexpr int lanes = kroton::simd::lanes<T>;
  check.template operator()<T, 1>();
  check.template operator()<T, 2>();
  check.template operator()<T, lanes>();
  check.template operator()<T, (2 * lanes * sizeof(T) < kroton::simd::native_bytes ? 4 * lanes : 2 * lanes)>();
}

/// Makes a check of types out of one of types and widths: `each_real(with_widths([]<class T, int W>() { ... }))`. A
/// failure names both.
template <class Check>
auto with_widths(Check check) {
  return [=]<class T>() {
    each_width<T>([&]<class, int W>() {
      INFO(typeid(T).name(), ", ", W, " lanes");
      check.template operator()<T, W>();
    });
  };
}

/// Fails at the line of the caller unless `good`. Templates call this instead of CHECK, which compilers expand to a
/// page of code for each type and width.
inline void expect(bool good, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (!good) ADD_FAIL_CHECK_AT(file, line, "the condition in this line does not hold");
}

/// Two lists of numbers, in which each edge meets each edge, followed by random ones; as long as whole packs
/// of up to 64.
template <class T>
std::pair<std::vector<T>, std::vector<T>> operands() {
  using limits = std::numeric_limits<T>;
  std::vector<T> edges{
      T(0), T(1), T(2), T(3), T(7), limits::max(), limits::lowest(), static_cast<T>(limits::max() / 2)};
  if constexpr (std::is_signed_v<T>) edges.insert(edges.end(), {T(-1), T(-2), T(-3)});
  if constexpr (std::is_floating_point_v<T>)
    edges.insert(edges.end(), {-T(0), T(0.5), T(-2.5), limits::infinity(), -limits::infinity(), limits::quiet_NaN(),
                               limits::denorm_min()});
  std::pair<std::vector<T>, std::vector<T>> both;
  for (T a : edges)
    for (T b : edges) both.first.push_back(a), both.second.push_back(b);
  std::mt19937_64 random(3);
  const auto next = [&] {
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>(std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), -60));
    else return static_cast<T>(random() >> random() % 64);
  };
  for (int i = 0; i < 64 || both.first.size() % 64 != 0; ++i)
    both.first.push_back(next()), both.second.push_back(next());
  return both;
}

/// Equal, or both NaN.
template <class T>
bool same(T a, T b) {
  return a == b || (a != a && b != b);
}

inline void report(const std::string& what, double x, double y, double found, double expected) {
  FAIL_CHECK(what, ": ", x, ", ", y, " gives ", found, ", not ", expected);
}

/// Fails at the first lane in which two lists differ. Apart from check_lanes so that it is compiled once for each type.
template <class T, class R>
void check_same(const char* name, int width, const std::vector<T>& x, const std::vector<T>& y,
                const std::vector<R>& found, const std::vector<R>& expected) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!same(found[i], expected[i])) {
      report(std::string(name) + " of " + typeid(T).name() + ", " + std::to_string(width) + " lanes",
             static_cast<double>(x[i]), static_cast<double>(y[i]), static_cast<double>(found[i]),
             static_cast<double>(expected[i]));
      return;
    }
  }
}

template <class T, int W, class R, class PackFunction>
void compute_lanes(std::vector<R>& found, const std::vector<T>& x, const std::vector<T>& y,
                   PackFunction pack_function) {
  namespace simd = kroton::simd;
  for (std::size_t i = 0; i < x.size(); i += W) {
    const auto got = pack_function(simd::load<simd::pack<T, W>>(&x[i]), simd::load<simd::pack<T, W>>(&y[i]));
    if constexpr (requires { store(&found[i], got); }) store(&found[i], got);
    else
      for (std::size_t k = 0; k < W; ++k) found[i + k] = simd::lane(got, static_cast<int>(k));
  }
}

/// Checks that `pack_function` of packs of each width does in every lane what `function` does to numbers.
template <class T, class PackFunction, class Function>
void check_lanes(const char* name, PackFunction pack_function, Function function) {
  using result = decltype(function(T(), T()));
  using stored = std::conditional_t<std::is_same_v<result, bool>, char, result>;
  static const auto both = operands<T>();
  const std::vector<T>&x = both.first, &y = both.second;
  std::vector<stored> found(x.size()), expected(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) expected[i] = function(x[i], y[i]);
  each_width<T>([&]<class, int W>() {
    compute_lanes<T, W>(found, x, y, pack_function);
    check_same(name, W, x, y, found, expected);
  });
}

}  // namespace simd_test
