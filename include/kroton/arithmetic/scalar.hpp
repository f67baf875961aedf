// This header has scalar counterparts of the pack functions that std:: lacks, so that one generic kernel body runs on
// numbers and on packs.
#pragma once

#include <kroton/config.hpp>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <numbers>
#include <type_traits>

namespace kroton::simd {

/// The plain numbers that kernels compute with. `bool` is apart: its packs are masks.
template <class T>
concept number = std::is_arithmetic_v<T> && !std::same_as<T, bool>;

/// The numbers with a fraction.
template <class T>
concept real = std::floating_point<T>;

/// The numbers without a fraction.
template <class T>
concept integer = number<T> && !real<T>;

/// A number or a truth value, which is what the functions of this header take.
template <class T>
concept scalar = number<T> || std::same_as<T, bool>;

/// `value` as a `T`: a number stands for all its lanes already.
template <scalar T>
KROTON_HD constexpr T broadcast(std::type_identity_t<T> value) noexcept {
  return value;
}

/// `yes` where `condition` holds, else `no`.
template <scalar T>
KROTON_HD constexpr T select(bool condition, T yes, T no) noexcept {
  return condition ? yes : no;
}

KROTON_HD constexpr bool all(bool condition) noexcept { return condition; }
KROTON_HD constexpr bool any(bool condition) noexcept { return condition; }

template <scalar T>
KROTON_HD constexpr bool is_nonzero(T x) noexcept {
  return x != T{};
}

/// The smaller of two numbers, NaN if either is, the first of equals; on a GPU, whose instruction for floats orders
/// the zeros, -0 of two zeros.
template <number T>
KROTON_HD constexpr T minimum(T a, T b) noexcept {
#ifdef __CUDA_ARCH__
  if constexpr (std::same_as<T, float>)
    if (!__builtin_is_constant_evaluated()) {
      T result;
      asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
      return result;
    }
#endif
  return b < a || b != b ? b : a;
}

/// The larger of two numbers, NaN if either is, the first of equals; on a GPU 0 of two float zeros.
template <number T>
KROTON_HD constexpr T maximum(T a, T b) noexcept {
#ifdef __CUDA_ARCH__
  if constexpr (std::same_as<T, float>)
    if (!__builtin_is_constant_evaluated()) {
      T result;
      asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
      return result;
    }
#endif
  return a < b || b != b ? b : a;
}

/// 2 to the power of x, to a relative error of 2^-22. On a GPU this is one instruction, which returns 0 where the
/// result would be less than the least normal float.
template <std::same_as<float> T>
KROTON_HD T quick_exp2(T x) noexcept {
#ifdef __CUDA_ARCH__
  T power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
#else
  return std::exp2(x);
#endif
}

/// a/b, to a relative error of 2^-22, where b and 1/b are normal floats. On a GPU this is two instructions.
template <std::same_as<float> T>
KROTON_HD T quick_quotient(T a, T b) noexcept {
#ifdef __CUDA_ARCH__
  T inverse;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(b));
  return a * inverse;
#else
  return a / b;
#endif
}

/// -1, 0 or 1; a NaN and the zeros are returned as they are.
template <number T>
KROTON_HD constexpr T sign(T x) noexcept {
  if constexpr (std::is_signed_v<T>) {
    if (x < T{0}) return T{-1};
  }
  return x > T{0} ? T{1} : x;
}

/// `x` to the nearest whole number, halves to the even one.
template <real T>
KROTON_HD T round_half_even(T x) noexcept {
  return std::nearbyint(x);
}

/// 1/(1+exp(-x)), written so that the small results on the left keep their relative accuracy.
template <real T>
KROTON_HD T sigmoid(T x) noexcept {
  const T e = std::exp(-std::fabs(x));
  return (x < T{0} ? e : T{1}) / (T{1} + e);
}

/// log(1+exp(x)), which neither overflows on the right nor loses its small results on the left.
template <real T>
KROTON_HD T softplus(T x) noexcept {
  return (x > T{0} ? x : T{0}) + std::log1p(std::exp(-std::fabs(x)));
}

/// 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) is x sigmoid(first x + third x^3), which keeps the small results on
/// the left. Beyond the limit the sigmoid is 0 or 1, in double too, and the cube could overflow.
struct gelu_tanh_constants {
  static constexpr double first = 2 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi, third = 0.044715 * first,
                          limit = 24;
};

/// The Gaussian error linear unit, in its approximation by tanh.
template <real T>
KROTON_HD T gelu_tanh(T x) noexcept {
  using by = gelu_tanh_constants;
  const T right = maximum(x, T(-by::limit)), t = minimum(right, T(by::limit));
  return right * sigmoid(t * (T(by::first) + T(by::third) * (t * t)));
}

/// Its derivative: with s the sigmoid of u, s + x s (1 - s) u', where 1 - s would cancel.
template <real T>
KROTON_HD T gelu_tanh_derivative(T x) noexcept {
  using by = gelu_tanh_constants;
  const T t = minimum(maximum(x, T(-by::limit)), T(by::limit)), square = t * t;
  const T u = t * (T(by::first) + T(by::third) * square);
  const T e = std::exp(-std::fabs(u)), above = T{1} / (T{1} + e), below = e * above;
  return (u < T{0} ? below : above) + t * (below * above) * (T(by::first) + T(3 * by::third) * square);
}

/// The bounds of an integer type; constants, because device code cannot call std::numeric_limits.
template <integer T>
inline constexpr T lowest_of = std::numeric_limits<T>::min();
template <integer T>
inline constexpr T highest_of = std::numeric_limits<T>::max();

/// `x` as a `To` with the meaning of static_cast, except that what would be undefined is not: numbers out of
/// range go to the nearest bound and NaN to 0.
template <scalar To, scalar From>
KROTON_HD constexpr To convert(From x) noexcept {
  if constexpr (real<From> && integer<To>) {
    // The bounds of an integer type are powers of two (less one above), so these two are exact.
    constexpr From low = static_cast<From>(lowest_of<To>);
    constexpr From beyond = static_cast<From>(highest_of<To> / 2 + 1) * From{2};
    if (x != x) return To{0};
    if (x < low) return lowest_of<To>;
    if (x >= beyond) return highest_of<To>;
    return static_cast<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

/// The unsigned type in which arithmetic on `T` wraps around and is never promoted to a signed one.
template <integer T>
using wrapping = std::common_type_t<std::make_unsigned_t<T>, unsigned>;

// Sums, differences and products: those of integers wrap around.
template <integer T>
KROTON_HD constexpr T wrapped_sum(T a, T b) noexcept {
  return static_cast<T>(static_cast<wrapping<T>>(a) + static_cast<wrapping<T>>(b));
}
template <integer T>
KROTON_HD constexpr T wrapped_difference(T a, T b) noexcept {
  return static_cast<T>(static_cast<wrapping<T>>(a) - static_cast<wrapping<T>>(b));
}
template <integer T>
KROTON_HD constexpr T wrapped_product(T a, T b) noexcept {
  return static_cast<T>(static_cast<wrapping<T>>(a) * static_cast<wrapping<T>>(b));
}
template <integer T>
KROTON_HD constexpr T wrapped_negative(T a) noexcept {
  return wrapped_difference(T{0}, a);
}
template <real T>
KROTON_HD constexpr T wrapped_sum(T a, T b) noexcept {
  return a + b;
}
template <real T>
KROTON_HD constexpr T wrapped_difference(T a, T b) noexcept {
  return a - b;
}
template <real T>
KROTON_HD constexpr T wrapped_product(T a, T b) noexcept {
  return a * b;
}
template <real T>
KROTON_HD constexpr T wrapped_negative(T a) noexcept {
  return -a;
}

/// a / b towards zero; 0 where b is 0, and wrapping around for the smallest number over -1.
template <integer T>
KROTON_HD constexpr T quotient(T a, T b) noexcept {
  if (b == T{0}) return T{0};
  if constexpr (std::is_signed_v<T>) {
    if (b == T{-1}) return wrapped_negative(a);
  }
  return static_cast<T>(a / b);
}

template <real T>
KROTON_HD constexpr T quotient(T a, T b) noexcept {
  return a / b;
}

/// a - quotient(a, b) * b, which has the sign of a; 0 where b is 0.
template <integer T>
KROTON_HD constexpr T remainder(T a, T b) noexcept {
  if (b == T{0}) return T{0};
  if constexpr (std::is_signed_v<T>) {
    if (b == T{-1}) return T{0};
  }
  return static_cast<T>(a % b);
}

/// a - n*b for the whole number n that a/b is truncated to, exactly; it has the sign of a.
template <real T>
KROTON_HD T remainder(T a, T b) noexcept {
  return std::fmod(a, b);
}

/// Whether a division towards zero left the remainder `r` on the wrong side of 0 for one whose remainder has the sign
/// of the divisor `b`.
template <number T>
KROTON_HD constexpr bool is_beyond_floor([[maybe_unused]] T r, [[maybe_unused]] T b) noexcept {
  if constexpr (std::is_signed_v<T>) return r != T{0} && (r < T{0}) != (b < T{0});
  else return false;
}

/// floor(a / b); 0 where b is 0, and wrapping around for the smallest number over -1.
template <integer T>
KROTON_HD constexpr T floor_quotient(T a, T b) noexcept {
  return static_cast<T>(quotient(a, b) - static_cast<T>(is_beyond_floor(remainder(a, b), b)));
}

/// The largest whole number not above a / b, also where that quotient is rounded up to the next one; a / b itself where
/// b is 0. A zero has the sign of a / b.
template <real T>
KROTON_HD T floor_quotient(T a, T b) noexcept {
  if (b == T{0}) return a / b;
  const T r = std::fmod(a, b), truncated = (a - r) / b;
  const T whole = round_half_even(is_beyond_floor(r, b) ? truncated - T{1} : truncated);
  return whole == T{0} ? std::copysign(T{0}, a / b) : whole;
}

/// a - floor_quotient(a, b) * b, which has the sign of b; 0 where b is 0.
template <integer T>
KROTON_HD constexpr T floor_remainder(T a, T b) noexcept {
  const T r = remainder(a, b);
  return is_beyond_floor(r, b) ? static_cast<T>(r + b) : r;
}

/// The same of reals, as Python has it: a zero has the sign of b as well, and where b is 0 there is no number.
template <real T>
KROTON_HD T floor_remainder(T a, T b) noexcept {
  const T r = std::fmod(a, b);
  if (r == T{0}) return std::copysign(T{0}, b);
  return is_beyond_floor(r, b) ? r + b : r;
}

/// The size of a number; the smallest integer stays what it is.
template <number T>
KROTON_HD constexpr T abs(T x) noexcept {
  if constexpr (real<T>) return std::fabs(x);
  else if constexpr (std::is_signed_v<T>) return x < 0 ? wrapped_negative(x) : x;
  else return x;
}

/// a * 2^count, wrapping around; 0 where the count is negative or not below the width.
template <integer T>
KROTON_HD constexpr T shift_left(T a, T count) noexcept {
  if (static_cast<std::make_unsigned_t<T>>(count) >= 8 * sizeof(T)) return T{0};
  return static_cast<T>(static_cast<wrapping<T>>(a) << count);
}

/// floor(a / 2^count); all sign bits where the count is negative or not below the width.
template <integer T>
KROTON_HD constexpr T shift_right(T a, T count) noexcept {
  constexpr T last = 8 * sizeof(T) - 1;
  const bool outside = static_cast<std::make_unsigned_t<T>>(count) > static_cast<std::make_unsigned_t<T>>(last);
  if constexpr (std::is_unsigned_v<T>) {
    if (outside) return T{0};
  }
  return static_cast<T>(a >> (outside ? last : count));
}

}  // namespace kroton::simd
