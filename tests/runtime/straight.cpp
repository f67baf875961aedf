// Functions whose extents are numbers, which are straight code.
// alone: its kernels are as many as one file should have.
#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <thread>
#include <type_traits>
#include <vector>

#include "allocations.hpp"

namespace kt = kroton;

namespace {

template <class T, int Rank>
kt::tensor<T, Rank> numbers(const std::array<std::int64_t, static_cast<std::size_t>(Rank)>& extents, int first = 11) {
  kt::tensor<T, Rank> made(extents);
  for (std::int64_t i = 0; i < made.size(); ++i)
    made.data()[i] = static_cast<T>(static_cast<float>((i * 37 + first) % 23) / 8.0f - 1.25f);
  return made;
}
/// Compares a function with the interpreter, and what it puts into a tensor with what it returns.
template <class Body, class... X>
void check(const char* name, Body body, const X&... x) {
  CAPTURE(name);
  auto f = kt::function(body);
  static_assert(std::is_empty_v<decltype(f)>, "it is no straight code");
  const kt::debug::comparison found = kt::debug::verify(f, x...);
  CAPTURE(found.where);
  CHECK(found.ok);
}
template <class T, int N>
void check_maps() {
  CAPTURE(N);
  const auto x = numbers<T, 1>({N}), y = numbers<T, 1>({N}, 3);
  check(
      "cheap", [](kt::var<T, N> a, kt::var<T, N> b, kt::var<T> c) { return kt::outputs(a * c + b, a - b); }, x, y,
      T(0.5));
  check(
      "dear", [](kt::var<T, N> a, kt::var<T, N> b) { return kt::tanh(a * 2 + b) + kt::exp(-a); }, x, y);
  check(
      "reductions",
      [](kt::var<T, N> a) {
        return kt::outputs(kt::sum(a), kt::max(a), kt::argmax(a), a / (kt::sum(a * a) + 1), kt::cast<int>(a));
      },
      x);
}
template <class T, int Rows, int Columns>
void check_rows() {
  CAPTURE(Rows);
  CAPTURE(Columns);
  using matrix = kt::var<T, Rows, Columns>;
  const auto x = numbers<T, 2>({Rows, Columns});
  check(
      "softmax, sums, means",
      [](matrix a) {
        return kt::outputs(kt::nn::softmax(a), kt::sum(a, kt::axis<0>), kt::mean(a, kt::axis<1>), kt::transpose(a) * 2,
                           kt::argmin(a, kt::axis<1>));
      },
      x);
  check(
      "repeated rows and columns",
      [](matrix a, kt::var<T, Columns> row, kt::var<T, Rows> column) {
        return kt::outputs(a + row, kt::exp(a) * row - kt::reshape<Rows, 1>(column),
                           kt::reshape<Rows, 1>(column) * row);
      },
      x, numbers<T, 1>({Columns}, 5), numbers<T, 1>({Rows}, 7));
}
template <class T, int M, int N, int K>
void check_products() {
  CAPTURE(M);
  CAPTURE(N);
  CAPTURE(K);
  check(
      "products",
      [](kt::var<T, M, K> x, kt::var<T, K, N> y, kt::var<T, N, K> t, kt::var<T, M, N> z, kt::var<T> c) {
        return kt::outputs(kt::dot(x, y), c * kt::dot(x, kt::transpose(t)), kt::dot(x, y) + z,
                           z - T(0.5) * kt::dot(x, kt::transpose(t)), kt::dot(x, kt::transpose(t)) + t[0][0],
                           c * kt::dot(x, y) + c * z);
      },
      numbers<T, 2>({M, K}), numbers<T, 2>({K, N}, 2), numbers<T, 2>({N, K}, 3), numbers<T, 2>({M, N}, 4), T(0.75));
  check(
      "with vectors",
      [](kt::var<T, M, K> x, kt::var<T, K> v, kt::var<T, M> w) {
        return kt::outputs(kt::dot(x, v), kt::dot(kt::transpose(x), w), kt::dot(w, kt::dot(x, v)), kt::dot(x, v) - w);
      },
      numbers<T, 2>({M, K}), numbers<T, 1>({K}, 2), numbers<T, 1>({M}, 3));
}

// a filter of 6 states and a measurement of one number
constexpr auto predict = [](kt::var<double, 6> x, kt::var<double, 6, 6> P, kt::var<double, 6, 6> F,
                            kt::var<double, 6, 6> Q) {
  return kt::outputs(kt::dot(F, x), kt::dot(kt::dot(F, P), kt::transpose(F)) + Q);
};
constexpr auto correct = [](kt::var<double, 6> x, kt::var<double, 6, 6> P, kt::var<double, 6> h, kt::var<double> z) {
  const auto gain = kt::dot(P, h);
  const auto k = gain / (kt::dot(h, gain) + 0.5);
  return kt::outputs(x + k * (z - kt::dot(h, x)), P - kt::outer(k, gain));
};
constexpr auto moved = [](kt::var<float, 1000, 3> points, kt::var<float, 3, 3> R, kt::var<float, 3> t) {
  return kt::dot(points, kt::transpose(R)) + t;
};

// functions of scalars
constexpr auto cube = kt::function([](kt::var<double> x) { return x * x * x; });
static_assert(cube(2.0) == 8.0 && cube(-1) == -1.0);
static_assert(kt::function([](kt::var<double> x) { return kt::grad(x * x * x, x); })(2.0) == 12.0);
static_assert(kt::function([](kt::var<float> x) { return kt::where(x > 0, x, 0.25f * x); })(-4.0f) == -1.0f);
constexpr auto sum_and_product = kt::function([](kt::var<int> a, kt::var<int> b) { return kt::outputs(a + b, a * b); });
static_assert(std::get<0>(sum_and_product(3, 4)) == 7 && std::get<1>(sum_and_product(3, 4)) == 12);
constexpr float slope_of_square(float x) {
  const auto [square, slope] = kt::functor([](kt::var<float> y) { return kt::outputs(y * y, kt::grad(y * y, y)); })(x);
  return slope + 0 * square;
}
static_assert(slope_of_square(3) == 6);

}  // namespace

TEST_CASE("straight: maps and reductions of lines of every kind of length") {
  check_maps<kt::half, 1>();
  check_maps<double, 6>();
  check_maps<float, 17>();
  check(
      "a line longer than straight code has packs",
      [](kt::var<float, 1000> a) { return kt::outputs(kt::sum(a * a), a / kt::max(a)); }, numbers<float, 1>({1000}));
}

TEST_CASE("straight: rows, columns, repeated rows") {
  check_rows<float, 4, 4>();
  check_rows<float, 100, 3>();
  check_rows<double, 5, 7>();
}

TEST_CASE("straight: products") {
  check_products<float, 3, 3, 3>();
  check_products<float, 100, 3, 3>();
  check_products<double, 6, 6, 6>();
  check_products<float, 5, 7, 11>();
}

TEST_CASE("straight: integers, truth values, views, and nothing at all") {
  check(
      "integers",
      [](kt::var<std::int8_t, 19> a, kt::var<std::uint64_t, 19> b) {
        return kt::outputs(a + a, kt::sum(b), b * b, a > 0, kt::any(a > 1), kt::cast<float>(b));
      },
      numbers<std::int8_t, 1>({19}), numbers<std::uint64_t, 1>({19}));
  check(
      "truth", [](kt::var<bool, 5> a, kt::var<float, 5> b) { return kt::outputs(!a, kt::where(a, b, -b), kt::all(a)); },
      numbers<bool, 1>({5}), numbers<float, 1>({5}));
  check(
      "views",
      [](kt::var<float, 4, 6> a) {
        return kt::outputs(a[kt::cols<1, 4>()] * 2, kt::concatenate(kt::axis<1>, a, a), a[kt::rows<0, 4, 2>()] + a[0],
                           kt::reshape<3, 8>(kt::exp(a)), kt::sum(kt::reshape<2, 2, 6>(a), kt::axis<1>));
      },
      numbers<float, 2>({4, 6}));
  check(
      "no elements",
      [](kt::var<float, 0> a, kt::var<float, 3, 0> b) {
        return kt::outputs(a * 2, kt::sum(a), kt::sum(b, kt::axis<1>), kt::sum(b, kt::axis<0>));
      },
      numbers<float, 1>({0}), numbers<float, 2>({3, 0}));
  const float huge = std::numeric_limits<float>::infinity();
  kt::tensor<float, 2> extremes({2, 3}, {huge, -huge, 1e38f, 1e-45f, -0.0f, std::nanf("")});
  check(
      "extremes",
      [](kt::var<float, 2, 3> a) { return kt::outputs(kt::max(a, kt::axis<1>), kt::nn::softmax(a), a + a); }, extremes);
}

TEST_CASE("straight: a filter and a rigid motion, without an allocation") {
  const auto x = numbers<double, 1>({6}), h = numbers<double, 1>({6}, 4);
  const auto P = numbers<double, 2>({6, 6}), F = numbers<double, 2>({6, 6}, 2), Q = numbers<double, 2>({6, 6}, 3);
  const auto points = numbers<float, 2>({1000, 3});
  const auto R = numbers<float, 2>({3, 3});
  const std::array<float, 3> t{1, 2, 3};
  check("predict", predict, x, P, F, Q);
  check("correct", correct, x, P, h, 0.3);
  check("moved", moved, points, R, t);

  const auto first = kt::function(predict);
  const auto second = kt::function(correct);
  const auto third = kt::function(moved);
  kt::tensor<double, 1> predicted({6}), corrected({6});
  kt::tensor<double, 2> wide({6, 6}), narrow({6, 6});
  kt::tensor<float, 2> there({1000, 3});
  (void)first(x, P, F, Q);  // small outputs lie in memory that the thread keeps
  const long before = allocations;
  for (int call = 0; call < 3; ++call) {
    if (kt::runtime::keeps_blocks) (void)first(x, P, F, Q);
    first.into(std::tie(predicted, wide), x, P, F, Q);
    second.into(std::tie(corrected, narrow), predicted, wide, h, 0.3);
    third.into(there, points, R, t);
  }
  CHECK(allocations == before);
}

TEST_CASE("straight: results into tensors, arguments that do not fit") {
  const auto f = kt::function([](kt::var<float, 4> x, kt::var<float, 4> y) {
    return x + kt::concatenate(kt::axis<0>, y[kt::rows<2, 4>()], y[kt::rows<0, 2>()]);
  });
  const auto g = kt::function([](kt::var<float, 4> x) { return kt::outputs(x * 2, kt::sum(x)); });
  kt::tensor<float, 1> x({4}, {1, 2, 3, 4}), y({4}, {10, 20, 30, 40}), other({2});
  const std::vector<float> sums{31, 42, 13, 24};
  f.into(other, x, y);
  CHECK(std::vector<float>(other.begin(), other.end()) == sums);
  f.into(y, x, y);  // where an argument lies that is read in another order
  CHECK(std::vector<float>(y.begin(), y.end()) == sums);
  const float gaps[] = {1, 0, 2, 0, 3, 0, 4, 0};
  CHECK(f(kt::view(gaps, {4}, {2}), std::array<float, 4>{40, 30, 20, 10})(3) == 34);
  kt::tensor<float, 0> sum;
  g.into(std::tie(other, sum), x);
  CHECK(sum == 10);
  CHECK(other(3) == 8);
  CHECK_THROWS_WITH_AS(f(x, other = kt::tensor<float, 1>({3})),
                       "kroton: argument 2 has extent 3 along axis 0, expected 4", kt::shape_error);
  CHECK_THROWS_AS(f(kt::view<const float, 1>(nullptr, {4}), x), kt::error);
  const auto small = kt::function([](kt::var<std::uint8_t> a, kt::var<std::uint8_t> b) { return a + b; });
  CHECK(small(200, 55) == 255);
  CHECK_THROWS_AS(small(1, 256), kt::value_error);
}

TEST_CASE("straight: several threads call one function, which is copied too") {
  const auto f = kt::function(correct);
  const auto copy = f;
  const auto x = numbers<double, 1>({6}), h = numbers<double, 1>({6}, 4);
  const auto P = numbers<double, 2>({6, 6});
  const auto [expected, none] = f(x, P, h, 0.3);
  std::array<int, 4> wrong{};
  std::vector<std::thread> threads;
  for (int& mine : wrong)
    threads.emplace_back([&, &expected_here = expected] {
      for (int call = 0; call < 200; ++call) {
        const auto [found, rest] = (call % 2 == 0 ? f : copy)(x, P, h, 0.3);
        mine += !std::equal(found.begin(), found.end(), expected_here.begin());
      }
    });
  for (std::thread& each : threads) each.join();
  CHECK(wrong == std::array<int, 4>{});
}

TEST_CASE("functor: in algorithms of the standard library") {
  std::vector<float> x(257), y(257);
  std::iota(x.begin(), x.end(), -100.0f);
  const auto bell = [](kt::var<float> a) { return kt::exp(-a * a * 0.001f) + kt::grad(kt::tanh(a), a); };
  constexpr auto f = kt::functor(bell);
  static_assert(std::is_empty_v<decltype(f)> && std::is_trivially_copyable_v<decltype(f)>);
  std::transform(x.begin(), x.end(), y.begin(), f);
  const auto same = kt::function(bell);
  for (std::size_t i = 0; i < x.size(); ++i) REQUIRE(y[i] == same(x[i]));
  const float sum = std::transform_reduce(x.begin(), x.end(), 0.0f, std::plus<>(),
                                          kt::functor([](kt::var<float> a) { return a * 2; }));
  CHECK(sum == 2 * std::accumulate(x.begin(), x.end(), 0.0f));
  const auto [quotient, rest] =
      kt::functor([](kt::var<int> a, kt::var<int> b) { return kt::outputs(a / b, kt::rem(a, b)); })(17, 5);
  CHECK(quotient * 5 + rest == 17);
}
