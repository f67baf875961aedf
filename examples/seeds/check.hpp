// What the examples in this folder share: random matrices, and the comparison of a result with a plain loop.
#pragma once

#include <kroton/runtime/tensor.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <span>

namespace example {

/// Numbers in [-1, 1), the same every run.
inline void fill(std::span<float> values, unsigned seed) {
  std::mt19937 bits{seed};
  for (float& v : values) v = static_cast<float>(bits()) * 0x1p-31f - 1;
}
inline kroton::tensor<float, 2> random_matrix(std::int64_t rows, std::int64_t columns, unsigned seed) {
  kroton::tensor<float, 2> x({rows, columns});
  fill(x.values(), seed);
  return x;
}

/// Collects the largest difference between what was computed and what a plain loop says.
class comparison {
 public:
  void operator()(double found, double expected) {
    const double wrong = std::abs(found - expected) / std::max(1.0, std::abs(expected));
    if (!(wrong <= worst_)) worst_ = wrong;  // NaN too
    ++count_;
  }
  /// Exit status of the program.
  int status(double tolerance = 1e-4) const {
    const bool right = count_ > 0 && worst_ <= tolerance;
    std::printf("%ld numbers compared with a plain loop, largest difference %.1e: %s\n", count_, worst_,
                right ? "right" : "WRONG");
    return right ? 0 : 1;
  }

 private:
  double worst_ = 0;
  long count_ = 0;
};

}  // namespace example
