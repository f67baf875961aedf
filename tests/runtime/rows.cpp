// Kernels of rows whose reductions do not need what is expensive: each phase computes what it reads.
#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace kt = kroton;

namespace {

constexpr struct rows : kt::dim<rows> {} rows;
constexpr struct columns : kt::dim<columns> {} columns;

template <class T>
kt::tensor<T, 2> numbers(std::int64_t count, std::int64_t width) {
  kt::tensor<T, 2> x({count, width});
  for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<T>((i * 7919) % 1009) / 1009 + T(0.25);
  return x;
}

template <class T>
void check() {
  auto f = kt::function([](kt::var<T, rows, columns> x) {
    const auto sum = kt::sum(x, kt::axis<1>, kt::keep_dims);
    const auto largest = kt::max(x, kt::axis<1>, kt::keep_dims);
    return kt::outputs(kt::exp(x) * sum, kt::where(largest > 1, kt::log(x), kt::sin(x)) + kt::tanh(x));
  });
  auto one =
      kt::function([](kt::var<T, rows, columns> x) { return kt::exp(x) * kt::sum(x, kt::axis<1>, kt::keep_dims); });
  auto phases = kt::function([](kt::var<T, rows, columns> x) {  // the exponential is needed in the last two of three
    const auto largest = kt::max(x, kt::axis<1>, kt::keep_dims);
    const auto e = kt::exp(x);
    const auto total = kt::sum(e / largest, kt::axis<1>, kt::keep_dims);
    return e * total;
  });
  for (const std::int64_t width : {0, 1, 5, 17, 64, 1023}) {
    CAPTURE(width);
    for (const std::int64_t count : {0, 1, 3}) {
      const auto x = numbers<T>(count, width);
      if (width > 0) CHECK(kt::debug::verify(f, x).ok);
      CHECK(kt::debug::verify(one, x).ok);
      CHECK(kt::debug::verify(phases, x).ok);
      const auto z = one(x);
      for (std::int64_t i = 0; i < count; ++i) {
        double sum = 0;
        for (std::int64_t j = 0; j < width; ++j) sum += static_cast<double>(x(i, j));
        for (std::int64_t j = 0; j < width; ++j)
          CHECK(static_cast<double>(z(i, j)) == doctest::Approx(std::exp(static_cast<double>(x(i, j))) * sum));
      }
    }
  }
}

TEST_CASE("rows: what no reduction needs is computed where it is read") {
  check<float>();
  check<double>();
}

TEST_CASE("rows: a walk along several axes is where each row is") {
  namespace host = kt::runtime::on_host;
  using cursor = host::row_cursor<2>;
  host::nest_operand operands[2];
  host::nest n;
  n.operands = operands;
  for (int axis = 0; axis < 4; ++axis) {
    operands[0].outer[axis] = axis == 2 ? 0 : 1000 >> 3 * axis;  // it is the same along an axis
    operands[1].outer[axis] = axis == 1 ? -64 : 7 << 4 * axis;
  }
  for (const auto& extents : {std::array{3, 1, 4, 2}, {1, 2, 1, 5}, {2, 3, 2, 1}}) {
    std::copy(extents.begin(), extents.end(), n.outer);
    for (n.outer_rank = 0, n.rows = 1; n.outer_rank <= 4; n.rows *= n.outer[n.outer_rank++])
      for (std::int64_t first = 0; first <= n.rows; ++first)
        for (std::int64_t past = first; past <= n.rows; ++past) {
          std::int64_t row = first;
          host::each_row<2>(n, first, past, [&](const cursor& at) {
            for (int a = 0; a < 2; ++a) CHECK(at.at[a] == cursor::of_row(n, row).at[a]);
            ++row;
          });
          CHECK(row == past);
        }
  }
}

}  // namespace
