// This header describes the first value of a shared variable as data: `kt::init::uniform(-1, 1)` is a kind and two
// numbers.
#pragma once

#include <cstdint>

namespace kroton {

struct initializer {
  enum class kind : std::uint8_t { constant, uniform, normal, glorot_uniform, glorot_normal, he_uniform, he_normal };
  kind what = kind::constant;
  double a = 0, b = 0;  ///< the constant; low and high; mean and standard deviation
  friend constexpr bool operator==(const initializer&, const initializer&) = default;
};

namespace init {
inline constexpr initializer zeros{};
inline constexpr initializer ones{initializer::kind::constant, 1, 0};
constexpr initializer constant(double value) { return {initializer::kind::constant, value, 0}; }
/// Uniform in [low, high).
constexpr initializer uniform(double low, double high) { return {initializer::kind::uniform, low, high}; }
constexpr initializer normal(double mean, double deviation) { return {initializer::kind::normal, mean, deviation}; }
/// Glorot and Bengio 2010: variance 2 / (fan_in + fan_out); fans are the last two extents.
inline constexpr initializer glorot_uniform{initializer::kind::glorot_uniform};
inline constexpr initializer glorot_normal{initializer::kind::glorot_normal};
/// He et al. 2015: variance 2 / fan_in.
inline constexpr initializer he_uniform{initializer::kind::he_uniform};
inline constexpr initializer he_normal{initializer::kind::he_normal};
}  // namespace init

}  // namespace kroton
