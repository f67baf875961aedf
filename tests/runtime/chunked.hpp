// How the tests of divided functions compare them with whole ones.
#pragma once

#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace test {

namespace kt = kroton;

inline constexpr struct batch : kt::dim<batch> {} batch;
inline constexpr struct width : kt::dim<width> {} width;

template <class T>
std::vector<T> ramp(std::size_t count, T scale = T(1)) {
  std::vector<T> v(count);
  for (std::size_t i = 0; i < count; ++i)
    v[i] = static_cast<T>(static_cast<double>(scale) * (static_cast<double>(i * 37 % 101) / 50 - 1));
  return v;
}

template <class T, int Rank>
bool is_close(const kt::tensor<T, Rank>& x, const kt::tensor<T, Rank>& y, double accepted) {
  if (x.extents() != y.extents()) return false;
  for (std::int64_t i = 0; i < x.size(); ++i) {
    const double a = static_cast<double>(x.data()[i]), b = static_cast<double>(y.data()[i]);
    if (!(std::abs(a - b) <= accepted * (1 + std::abs(b))) && !(a == b) && !(std::isnan(a) && std::isnan(b)))
      return false;
  }
  return true;
}
template <class T, int Rank>
void compare_output(const kt::tensor<T, Rank>& found, const kt::tensor<T, Rank>& expected, double accepted) {
  CHECK(is_close(found, expected, accepted));
}
template <class... Out>
void compare_output(const std::tuple<Out...>& found, const std::tuple<Out...>& expected, double accepted) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (compare_output(std::get<I>(found), std::get<I>(expected), accepted), ...);
  }
  (std::index_sequence_for<Out...>());
}
/// Compares what a divided function returns with what the whole one does.
template <class Whole, class Chunked, class... X>
void compare(Whole& whole, Chunked& pieces, double accepted, const X&... x) {
  compare_output(pieces(x...), whole(x...), accepted);
}

}  // namespace test
