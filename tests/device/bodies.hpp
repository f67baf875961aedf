// What the tests of kernels on devices share.
#pragma once

#include "device.hpp"

namespace test {

inline constexpr struct n : kt::dim<n> {} n;
inline constexpr struct m : kt::dim<m> {} m;

/// Between -2 and 2.
template <class T, int Rank>
kt::tensor<T, Rank> around_0(const std::array<std::int64_t, static_cast<std::size_t>(Rank)>& extents, unsigned seed) {
  return test::random<T, Rank>(extents, seed, -2, 2);
}

inline constexpr std::int64_t sizes[] = {0, 1, 3, 31, 130, 1000, 1025, 4100, 9001};

}  // namespace test
