// Matrix products without a library, beside sums in double.
#include <kroton/runtime/host/own_product.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "../sanitized.hpp"

namespace {

namespace host = kroton::runtime::on_host;

struct product_case {
  int m, n, k;
  bool x_transposed, y_transposed;
  int gap;  ///< after each row of x and y
  double alpha, beta;
  bool has_infinities;
};

template <class T>
std::vector<T> drawn(std::mt19937& random, std::int64_t count) {
  std::vector<T> values(static_cast<std::size_t>(count) + 1);
  for (T& value : values) value = static_cast<T>(static_cast<int>(random() % 2001) - 1000) / T(1000);
  return values;
}

/// How many elements are wrong. What is not read of z is NaN, and so is what lies between the rows of x and y.
template <class T>
int wrong_elements(const product_case& c, int threads) {
  std::mt19937 random{7};
  const auto factor_of = [&](std::vector<T>& values, int rows, int columns, bool transposed) {
    const int row = (transposed ? rows : columns) + c.gap, count = transposed ? columns : rows;
    values = drawn<T>(random, std::int64_t{row} * count);
    for (int i = 0; i < count; ++i)
      for (int j = row - c.gap; j < row; ++j)
        values[static_cast<std::size_t>(i * row + j)] = std::numeric_limits<T>::quiet_NaN();
    return host::factor<T>{values.data(), transposed ? 1 : row, transposed ? row : 1};
  };
  std::vector<T> xs, ys, z = drawn<T>(random, std::int64_t{c.m} * c.n);
  const host::factor<T> x = factor_of(xs, c.m, c.k, c.x_transposed), y = factor_of(ys, c.k, c.n, c.y_transposed);
  if (c.has_infinities && c.m > 0 && c.n > 0 && c.k > 0) {
    xs[0] = std::numeric_limits<T>::infinity();
    ys[0] = std::numeric_limits<T>::quiet_NaN();
  }
  if (c.beta == 0)
    for (T& value : z) value = std::numeric_limits<T>::quiet_NaN();
  z.back() = T(77);  // beyond the end
  const std::vector<T> before = z;
  host::multiply_without_library<T>(c.m, c.n, c.k, x, y,
                                    {z.data(), c.n, static_cast<T>(c.alpha), static_cast<T>(c.beta)}, threads);
  int wrong = z.back() == T(77) ? 0 : 1;
  const double bound = 4.0 * static_cast<double>(std::numeric_limits<T>::epsilon()) * (c.k + 2);
  for (int i = 0; i < c.m; ++i)
    for (int j = 0; j < c.n; ++j) {
      const auto at = static_cast<std::size_t>(i * c.n + j);
      double sum = 0;
      for (int l = 0; l < c.k; ++l) sum += static_cast<double>(*x.at(i, l)) * static_cast<double>(*y.at(l, j));
      const double wanted = c.alpha * sum + (c.beta == 0 ? 0 : c.beta * static_cast<double>(before[at])),
                   got = static_cast<double>(z[at]);
      const bool right = std::isfinite(wanted) ? std::abs(got - wanted) <= bound
                         : std::isnan(wanted)  ? std::isnan(got)
                                               : got == wanted;
      wrong += right ? 0 : 1;
    }
  return wrong;
}

}  // namespace

TEST_CASE("products without a library") {
  std::mt19937 random{1};
  const int sizes[] = {0, 1, 2, 3, 4, 5, 7, 12, 13, 16, 17, 31, 33, 50, 97, 130, 257, 300};
  const double alphas[] = {1, 0, -0.5, 2, std::numeric_limits<double>::quiet_NaN()}, betas[] = {0, 1, 0.5, 0};
  const auto size = [&] { return sizes[random() % std::size(sizes)]; };
  for (int i = 0; i < test::drawn(600); ++i) {
    const product_case c{size(),
                         size(),
                         size(),
                         random() % 2 == 0,
                         random() % 2 == 0,
                         static_cast<int>(random() % 3),
                         alphas[random() % std::size(alphas)],
                         betas[random() % 4],
                         random() % 5 == 0};
    if (std::int64_t{c.m} * c.n * c.k > 4'000'000) continue;
    CAPTURE(c.m);
    CAPTURE(c.n);
    CAPTURE(c.k);
    CAPTURE(c.x_transposed);
    CAPTURE(c.y_transposed);
    CAPTURE(c.alpha);
    CAPTURE(c.beta);
    CHECK(wrong_elements<float>(c, 1 + i % 3) == 0);
    CHECK(wrong_elements<double>(c, 1 + i % 3) == 0);
  }
  // several blocks of rows, of columns and of steps
  CHECK(wrong_elements<float>({2200, 70, 20, false, true, 1, 1, 0.5, false}, 2) == 0);
  CHECK(wrong_elements<float>({30, 2100, 300, true, false, 0, 1, 0, false}, 2) == 0);
  CHECK(wrong_elements<double>({140, 90, 520, false, false, 3, 2, 1, false}, 3) == 0);
  // a vector and many rows of a matrix, in chunks that have no rows at the end
  CHECK(wrong_elements<float>({130, 1, 1025, true, false, 0, 2, 0.5, false}, 3) == 0);
  CHECK(wrong_elements<double>({1, 203, 1300, true, false, 1, 1, 0, false}, 2) == 0);
  // few rows, and few columns
  CHECK(wrong_elements<float>({20, 2100, 600, true, false, 0, 1, 0, false}, 2) == 0);
  CHECK(wrong_elements<float>({2200, 20, 70, false, true, 1, 1, 0.5, false}, 2) == 0);
  CHECK(wrong_elements<float>({2200, 10, 300, false, false, 1, 1, 0.5, true}, 3) == 0);
  CHECK(wrong_elements<float>({2200, 8, 25, true, false, 0, 1, 0, false}, 2) == 0);
  CHECK(wrong_elements<double>({25, 13, 3000, true, true, 2, -1, 1, false}, 2) == 0);
  CHECK(wrong_elements<double>({2, 3, 5000, false, false, 1, -1, 1, false}, 1) == 0);
  // few columns, and few results of long sums, in chunks of which the last is shorter
  CHECK(wrong_elements<float>({203, 7, 300, false, false, 1, 1, 0.5, true}, 2) == 0);
  CHECK(wrong_elements<double>({203, 3, 300, false, false, 1, 1, 0, false}, 3) == 0);
  CHECK(wrong_elements<float>({25, 8, 4609, false, false, 0, -0.5, 0, false}, 3) == 0);
  CHECK(wrong_elements<float>({31, 33, 2049, true, false, 1, 1, 0.5, true}, 2) == 0);
  CHECK(wrong_elements<double>({12, 30, 3001, false, true, 2, 2, 1, false}, 3) == 0);
}

TEST_CASE("products without a library give the same bits with any number of threads") {
  std::mt19937 random{3};
  for (const auto& [m, n, k] :
       {std::array{301, 203, 517}, std::array{301, 10, 517}, std::array{20, 900, 517}, std::array{1, 300, 2000},
        std::array{1, 1100, 517}, std::array{1021, 1, 517}, std::array{25, 8, 4609}}) {
    const std::vector<float> x = drawn<float>(random, m * k), y = drawn<float>(random, k * n);
    std::vector<float> one(static_cast<std::size_t>(m * n)), three = one;
    host::multiply_without_library<float>(m, n, k, {x.data(), k, 1}, {y.data(), n, 1}, {one.data(), n, 1, 0}, 1);
    host::multiply_without_library<float>(m, n, k, {x.data(), k, 1}, {y.data(), n, 1}, {three.data(), n, 1, 0}, 3);
    CHECK(one == three);
  }
}
