// Functions that arrange, select and multiply elements: against NumPy's definitions, the reference, and differences.
#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

#include <numeric>
#include <vector>

namespace kt = kroton;

namespace {

inline constexpr struct n : kt::dim<n> {} n;
inline constexpr struct m : kt::dim<m> {} m;

using numbers = std::vector<double>;

template <class... E>
auto ascending(E... extents) {
  kt::tensor<double, sizeof...(E)> made({static_cast<std::int64_t>(extents)...});
  std::iota(made.begin(), made.end(), 1.0);
  return made;
}
template <class Tensor>
numbers values_of(const Tensor& t) {
  return numbers(t.begin(), t.end());
}
/// Compares a function of a matrix, and the gradient of a cost that weights its elements differently.
template <class Lambda>
void check(Lambda lambda, std::initializer_list<std::pair<std::int64_t, std::int64_t>> extents) {
  auto f = kt::function(lambda);
  for (const auto& each : extents) {
    CAPTURE(each.first);
    CAPTURE(each.second);
    CHECK(kt::debug::verify(f, ascending(each.first, each.second)));
  }
}
constexpr auto with_gradient(const auto& y, const auto& x) {
  return kt::outputs(y, kt::grad(kt::sum(kt::sin(y) * y), x));
}

TEST_CASE("arranged: values are those of NumPy") {
  auto f = kt::function([](kt::var<double, 2, 3> x, kt::var<double, 3> v, kt::var<std::int32_t, n> c) {
    return kt::outputs(kt::flip(x, kt::axis<1>), kt::flip(x), kt::roll(x, 1, kt::axis<1>), kt::roll(v, -5),
                       kt::tile<2, 1>(x), kt::repeat<2>(v), kt::repeat<2>(x, kt::axis<0>), kt::diff(x, kt::axis<1>),
                       kt::diag(x), kt::diag(v), kt::trace(x), kt::tril(x), kt::triu<1>(x), kt::fill_diagonal(x, 9.0),
                       kt::outer(v, v), kt::kron(x, x[kt::rows<0, 1>()]), kt::kron(v, x), kt::kron(x, v),
                       kt::kron(v, v), kt::tensordot(x, x, kt::axis<0, 1>, kt::axis<0, 1>),
                       kt::tensordot(x, x, kt::axis<0>, kt::axis<0>), kt::flip(c), kt::roll(c, 7), kt::diff(c));
  });
  kt::tensor<std::int32_t, 1> counts({4});
  std::iota(counts.begin(), counts.end(), 1);
  const auto [flipped, all_flipped, rolled, rolled_back, tiled, repeated, rows, steps, diagonal, matrix, trace, lower,
              upper, filled, outer, kron, of_row, by_row, of_vectors, full, gram, of_counts, rolled_counts,
              steps_of_counts] = f(ascending(2, 3), ascending(3), counts);
  CHECK(values_of(flipped) == numbers{3, 2, 1, 6, 5, 4});
  CHECK(values_of(all_flipped) == numbers{6, 5, 4, 3, 2, 1});
  CHECK(values_of(rolled) == numbers{3, 1, 2, 6, 4, 5});
  CHECK(values_of(rolled_back) == numbers{3, 1, 2});
  CHECK(values_of(tiled) == numbers{1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6});
  CHECK(values_of(repeated) == numbers{1, 1, 2, 2, 3, 3});
  CHECK(values_of(rows) == numbers{1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6});
  CHECK(values_of(steps) == numbers{1, 1, 1, 1});
  CHECK(values_of(diagonal) == numbers{1, 5});
  CHECK(values_of(matrix) == numbers{1, 0, 0, 0, 2, 0, 0, 0, 3});
  CHECK(static_cast<double>(trace) == 6);
  CHECK(values_of(lower) == numbers{1, 0, 0, 4, 5, 0});
  CHECK(values_of(upper) == numbers{0, 2, 3, 0, 0, 6});
  CHECK(values_of(filled) == numbers{9, 2, 3, 4, 9, 6});
  CHECK(values_of(outer) == numbers{1, 2, 3, 2, 4, 6, 3, 6, 9});
  CHECK(values_of(kron) == numbers{1, 2, 3, 2, 4, 6, 3, 6, 9, 4, 8, 12, 5, 10, 15, 6, 12, 18});
  CHECK(values_of(of_row) == numbers{1, 2, 3, 2, 4, 6, 3, 6, 9, 4, 5, 6, 8, 10, 12, 12, 15, 18});
  CHECK(of_row.extents() == std::array<std::int64_t, 2>{2, 9});
  CHECK(values_of(by_row) == values_of(kron));
  CHECK(values_of(of_vectors) == numbers{1, 2, 3, 2, 4, 6, 3, 6, 9});
  CHECK(static_cast<double>(full) == 91);
  CHECK(values_of(gram) == numbers{17, 22, 27, 22, 29, 36, 27, 36, 45});
  CHECK(values_of(of_counts) == numbers{4, 3, 2, 1});
  CHECK(values_of(rolled_counts) == numbers{2, 3, 4, 1});
  CHECK(values_of(steps_of_counts) == numbers{1, 1, 1});
}

TEST_CASE("arranged: any extents, and gradients") {
  using matrix = kt::var<double, n, m>;
  check([](matrix x) { return with_gradient(kt::flip(x, kt::axis<0>), x); }, {{0, 2}, {1, 3}, {4, 3}, {2, 0}});
  check([](matrix x) { return with_gradient(kt::roll(x, -3, kt::axis<0>), x); }, {{0, 2}, {1, 3}, {5, 2}});
  check([](matrix x) { return with_gradient(kt::tile<3, 2>(x), x); }, {{0, 2}, {2, 3}});
  check([](matrix x) { return with_gradient(kt::repeat<3>(x, kt::axis<-1>), x); }, {{2, 0}, {2, 3}});
  check([](matrix x) { return with_gradient(kt::diff(x, kt::axis<0>), x); }, {{1, 2}, {4, 3}});
  check([](matrix x) { return with_gradient(kt::diag(x), x); }, {{0, 2}, {2, 4}, {3, 2}, {3, 3}});
  check([](matrix x) { return with_gradient(kt::diag(kt::sum(x, kt::axis<0>)), x); }, {{2, 0}, {2, 3}});
  check([](matrix x) { return with_gradient(kt::trace(x) * x, x); }, {{0, 2}, {3, 2}});
  check([](matrix x) { return with_gradient(kt::tril<1>(x) + kt::triu(x), x); }, {{0, 1}, {3, 4}, {4, 2}});
  check([](matrix x) { return with_gradient(kt::fill_diagonal(x, kt::sum(x)), x); }, {{2, 3}});
  check([](matrix x) { return with_gradient(kt::kron(x, x), x); }, {{0, 2}, {2, 3}});
  check([](matrix x) { return with_gradient(kt::kron(kt::kron(x, x), kt::sum(x, kt::axis<0>)), x); }, {{0, 2}, {2, 3}});
  check([](matrix x) { return with_gradient(kt::outer(kt::sum(x, kt::axis<0>), kt::sum(x, kt::axis<1>)), x); },
        {{0, 2}, {2, 3}});
  check([](matrix x) { return with_gradient(kt::tensordot(x, kt::exp(x * 0.1), kt::axis<1>, kt::axis<1>), x); },
        {{0, 2}, {2, 0}, {3, 2}});
}

TEST_CASE("arranged: parts of one length") {
  auto f = kt::function([](kt::var<double, n, 6> x) {
    const auto [a, b, c] = kt::split<3>(x, kt::axis<1>);
    const auto [first, second] = kt::split<2>(x, kt::axis<0>);
    static_assert(decltype(a)::rank == 2);
    return kt::outputs(a * b - c, first - second, kt::grad(kt::sum(a * a * b) + kt::sum(kt::sqr(first - second)), x));
  });
  for (int rows : {0, 2, 4}) CHECK(kt::debug::verify(f, ascending(rows, 6)));
  CHECK(values_of(std::get<0>(f(ascending(2, 6)))) == numbers{-2, 2, 52, 68});
  CHECK_THROWS_AS(f(ascending(3, 6)), kt::shape_error);
  auto steps = kt::function([](kt::var<double, n> x) { return kt::diff(x); });
  CHECK_THROWS_AS(steps(numbers{}), kt::shape_error);
}

TEST_CASE("arranged: padding is that of NumPy") {
  auto f = kt::function([](kt::var<double, 3> x, kt::var<double, n> y, kt::var<std::int32_t, n> c) {
    return kt::outputs(
        kt::pad<2, 1>(x), kt::pad<2, 1>(x, 7), kt::pad<2, 1>(x, kt::pad_edge), kt::pad<2, 1>(x, kt::pad_linear_ramp),
        kt::pad<2, 1>(x, kt::pad_maximum), kt::pad<2, 1>(x, kt::pad_mean), kt::pad<2, 1>(x, kt::pad_minimum),
        kt::pad<5, 6>(x, kt::pad_reflect), kt::pad<5, 6>(x, kt::pad_symmetric), kt::pad<4, 5>(x, kt::pad_wrap),
        kt::pad<3, 2>(y, kt::pad_reflect), kt::pad<1, 0>(c, -1), kt::pad<0, 2>(c, kt::pad_symmetric));
  });
  const kt::tensor<std::int32_t, 1> c({1});
  const auto [zeros, number, edge, ramp, largest, mean, smallest, reflected, mirrored, wrapped, single, counts, twice] =
      f(ascending(3), ascending(1), c);
  CHECK(values_of(zeros) == numbers{0, 0, 1, 2, 3, 0});
  CHECK(values_of(number) == numbers{7, 7, 1, 2, 3, 7});
  CHECK(values_of(edge) == numbers{1, 1, 1, 2, 3, 3});
  CHECK(values_of(ramp) == numbers{0, 0.5, 1, 2, 3, 0});
  CHECK(values_of(largest) == numbers{3, 3, 1, 2, 3, 3});
  CHECK(values_of(mean) == numbers{2, 2, 1, 2, 3, 2});
  CHECK(values_of(smallest) == numbers{1, 1, 1, 2, 3, 1});
  CHECK(values_of(reflected) == numbers{2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3, 2, 1});
  CHECK(values_of(mirrored) == numbers{2, 3, 3, 2, 1, 1, 2, 3, 3, 2, 1, 1, 2, 3});
  CHECK(values_of(wrapped) == numbers{3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2});
  CHECK(values_of(single) == numbers{1, 1, 1, 1, 1, 1});
  CHECK(values_of(counts) == numbers{-1, 0});
  CHECK(values_of(twice) == numbers{0, 0, 0});
  CHECK_THROWS_AS(f(ascending(3), ascending(0), kt::tensor<std::int32_t, 1>({0})), kt::shape_error);
  using matrix = kt::var<double, n, m>;
  check([](matrix x) { return with_gradient(kt::pad<1, 2>(x, kt::axis<0>), x); }, {{0, 2}, {2, 3}});
  check([](matrix x) { return with_gradient(kt::pad<1, 0>(x, kt::axis<1>, 0.5), x); }, {{2, 0}, {2, 3}});
  check([](matrix x) { return with_gradient(kt::pad<1, 2>(x, kt::axis<0>, kt::pad_edge), x); }, {{1, 2}, {3, 2}});
  check([](matrix x) { return with_gradient(kt::pad<2, 3>(x, kt::axis<0>, kt::pad_linear_ramp), x); },
        {{1, 2}, {3, 2}});
  check([](matrix x) { return with_gradient(kt::pad<2, 3>(x, kt::axis<1>, kt::pad_linear_ramp), x); }, {{2, 3}});
  check([](matrix x) { return with_gradient(kt::pad<2, 1>(x, kt::axis<1>, kt::pad_mean), x); }, {{1, 2}, {3, 2}});
  check([](matrix x) { return with_gradient(kt::pad<2, 1>(x, kt::axis<-1>, kt::pad_maximum), x); }, {{1, 2}, {3, 2}});
  check([](matrix x) { return with_gradient(kt::pad<4, 5>(x, kt::axis<0>, kt::pad_reflect), x); }, {{1, 2}, {3, 2}});
  check([](matrix x) { return with_gradient(kt::pad<4, 5>(x, kt::axis<1>, kt::pad_symmetric), x); }, {{1, 2}, {2, 3}});
  check([](matrix x) { return with_gradient(kt::pad<4, 5>(x, kt::axis<0>, kt::pad_wrap), x); }, {{1, 2}, {2, 3}});
}

TEST_CASE("arranged: three axes") {
  auto f = kt::function([](kt::var<double, n, 2, 3> x, kt::var<double, 3, 4, 2> y) {
    const auto z = kt::tensordot(x, y, kt::axis<2, 1>, kt::axis<0, 2>);
    return kt::outputs(z, kt::tril(x), kt::flip(x, kt::axis<2, 0>), kt::roll(x, 1, kt::axis<1>),
                       kt::grad(kt::sum(kt::sin(z)), x), kt::grad(kt::sum(kt::sin(z)), y));
  });
  for (int rows : {0, 1, 3}) CHECK(kt::debug::verify(f, ascending(rows, 2, 3), ascending(3, 4, 2)));
}

}  // namespace
