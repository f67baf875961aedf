// What the examples in this folder share: random matrices, and what is said of a comparison.
#pragma once

#include <kroton/debug/verify.hpp>

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

/// Whether all numbers that were compared are right; prints it, and where they are not.
inline bool right(const kroton::debug::comparison& found) {
  if (found) std::printf("right, to %.1e\n", found.max_error);
  else std::printf("WRONG: %s is %.9g instead of %.9g\n", found.where.c_str(), found.found, found.expected);
  return found.ok;
}

}  // namespace example
