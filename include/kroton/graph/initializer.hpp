// This header describes the first value of a shared variable as data: `kt::init::uniform(-1, 1)` is a kind and two
// numbers.
#pragma once

#include <cstdint>

namespace kroton {

namespace graph {
struct initializer {
  enum class kind : std::uint8_t {
    constant,
    uniform,
    normal,
    glorot_uniform,
    glorot_normal,
    he_uniform,
    he_normal,
    random_state  ///< the seed of the session, and the number of its calls that drew random numbers
  };
  kind what = kind::constant;
  double a = 0, b = 0;  ///< the constant; low and high; mean and standard deviation
  friend constexpr bool operator==(const initializer&, const initializer&) = default;
};
}  // namespace graph

namespace init {
/// Zeros.
inline constexpr graph::initializer zeros{};
/// Ones.
inline constexpr graph::initializer ones{graph::initializer::kind::constant, 1, 0};
/// One value in every element: `kt::init::constant(0.1)`.
constexpr graph::initializer constant(double value) { return {graph::initializer::kind::constant, value, 0}; }
/// Uniform in [low, high).
constexpr graph::initializer uniform(double low, double high) { return {graph::initializer::kind::uniform, low, high}; }
/// Normal, with this mean and standard deviation: `kt::init::normal(0, 0.02)`.
constexpr graph::initializer normal(double mean, double deviation) {
  return {graph::initializer::kind::normal, mean, deviation};
}
/// Uniform, Glorot and Bengio 2010: variance 2 / (fan_in + fan_out); fans are the last two extents.
inline constexpr graph::initializer glorot_uniform{graph::initializer::kind::glorot_uniform};
/// Normal, with the variance of glorot_uniform.
inline constexpr graph::initializer glorot_normal{graph::initializer::kind::glorot_normal};
/// Uniform, He et al. 2015: variance 2 / fan_in.
inline constexpr graph::initializer he_uniform{graph::initializer::kind::he_uniform};
/// Normal, with the variance of he_uniform.
inline constexpr graph::initializer he_normal{graph::initializer::kind::he_normal};
}  // namespace init

}  // namespace kroton
