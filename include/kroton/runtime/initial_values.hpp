// This header computes the initial values of shared variables from a seed.
#pragma once

#include <kroton/graph/initializer.hpp>

#include <cmath>
#include <cstdint>
#include <random>

namespace kroton::runtime {

/// Draws initial values as the initializer `how` says; `fan_in` and `fan_out` are the last two extents. The class is no
/// template, because a template would be compiled for each element type.
class initial_values {
 public:
  initial_values(const initializer& how, std::int64_t fan_in, std::int64_t fan_out, std::uint64_t stream)
      : how_(how), bits_(stream) {
    const double fan =
        static_cast<double>(how.what == kind::he_uniform || how.what == kind::he_normal ? fan_in : fan_in + fan_out);
    deviation_ = std::sqrt(2.0 / (fan > 0 ? fan : 1));
  }
  double next() {
    switch (how_.what) {
      case kind::constant: return how_.a;
      case kind::uniform: return how_.a + (how_.b - how_.a) * uniform();
      case kind::normal: return how_.a + how_.b * normal();
      case kind::glorot_uniform:
      case kind::he_uniform: return std::sqrt(3.0) * deviation_ * (2 * uniform() - 1);
      default: return deviation_ * normal();
    }
  }

 private:
  using kind = initializer::kind;
  initializer how_;
  std::mt19937_64 bits_;
  double deviation_;

  double uniform() { return static_cast<double>(bits_() >> 11) * 0x1.0p-53; }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }
};

}  // namespace kroton::runtime
