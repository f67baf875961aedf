// Rows and lines of few elements, of which several are computed side by side.
#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include "../sanitized.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <limits>

namespace kt = kroton;

namespace {

constexpr struct rows : kt::dim<rows> {} rows;

template <class T, int Rank>
kt::tensor<T, Rank> numbers(const std::array<std::int64_t, static_cast<std::size_t>(Rank)>& extents, int first = 0) {
  kt::tensor<T, Rank> x(extents);
  for (std::int64_t i = 0; i < x.size(); ++i)
    x.data()[i] = static_cast<T>(static_cast<float>((i * 7919 + first) % 1009) / 512 - 1);
  return x;
}
template <class F, class... X>
void check(F& f, const X&... x) {
  const kt::debug::comparison found = kt::debug::verify(f, x...);
  CAPTURE(found.where);
  CHECK(found.ok);
}

/// Reductions of rows of `N` elements, and what is computed with them.
template <class T, int N>
void check_rows() {
  CAPTURE(N);
  auto f = kt::function([](kt::var<T, rows, N> x, kt::var<T, N> w, kt::var<T, rows> y) {
    return kt::outputs(kt::nn::softmax(x * w), kt::sum(x * w, kt::axis<1>) - y, kt::argmax(x, kt::axis<1>),
                       kt::any(x > 0.9, kt::axis<1>), kt::max(kt::transpose(x), kt::axis<0>),
                       x - kt::mean(x, kt::axis<1>, kt::keep_dims));
  });
  for (const std::int64_t count : {0, 1, 7, 8, 21}) {
    CAPTURE(count);
    check(f, numbers<T, 2>({count, N}), numbers<T, 1>({N}, 5), numbers<T, 1>({count}, 7));
  }
}

TEST_CASE("short rows: reductions, positions, and what is computed with them") {
  check_rows<float, 2>();
  check_rows<float, 10>();
  check_rows<float, 24>();
  check_rows<double, 3>();
  check_rows<kt::half, 5>();
}

TEST_CASE("short rows: NaN, infinities and equal elements") {
  constexpr float none = std::numeric_limits<float>::quiet_NaN(), large = std::numeric_limits<float>::infinity();
  auto f = kt::function([](kt::var<float, rows, 3> x) {
    return kt::outputs(kt::max(x, kt::axis<1>), kt::argmin(x, kt::axis<1>), kt::nn::softmax(x));
  });
  check(f, kt::tensor<float, 2>({9, 3}, {1,      none, 2, none, 0,     0, 3, 3, 1, large, 1,  0,  0, 1,
                                         -large, 2,    2, none, -0.0F, 0, 0, 5, 5, 5,     -1, -2, -2}));
}

/// Windows of 2 by `Width`, of which `N` are in a line.
template <class T, int N, int Width>
void check_windows() {
  CAPTURE(N);
  auto f = kt::function([](kt::var<T, rows, 3, 10, N * Width> x, kt::var<T, rows, 3, 5, N> y) {
    const auto windows = kt::reshape<rows, 3, 5, 2, N, Width>(x);
    const auto largest = kt::max(windows, kt::axis<3, 5>);
    return kt::outputs(largest, kt::mean(windows, kt::axis<3, 5>), kt::grad(kt::sum(largest * y), x));
  });
  for (const std::int64_t count : {0, 1, 4})
    check(f, numbers<T, 4>({count, 3, 10, N * Width}), numbers<T, 4>({count, 3, 5, N}, 3));
}

TEST_CASE("short rows: the windows of a pooling, and its gradients") {
  check_windows<float, 9, 2>();
  check_windows<float, 12, 2>();
  check_windows<double, 6, 2>();
  check_windows<float, 7, 3>();
}

TEST_CASE("short rows: rows that lie closer together along another axis") {
  auto f = kt::function([](kt::var<float, 3, rows, 12> x) {
    const auto apart = kt::permute<1, 2, 0>(x);
    return kt::outputs(kt::sum(apart, kt::axis<2>), kt::nn::softmax(kt::permute<1, 0, 2>(apart)));
  });
  for (const std::int64_t count : {0, 1, 40}) check(f, numbers<float, 3>({3, count, 12}));
}

TEST_CASE("short rows: lines of maps") {
  auto f = kt::function(
      [](kt::var<float, rows, 3, 5> x, kt::var<float, 3> t, kt::var<float, rows> s, kt::var<float, rows, 2> z) {
        return kt::outputs(kt::permute<0, 2, 1>(x) + t, kt::exp(z) * kt::reshape<rows, 1>(s),
                           kt::cast<int>(z[kt::range<0, 1>(kt::axis<1>)]), kt::permute<2, 0, 1>(x) * 2);
      });
  for (const std::int64_t count : {0, 1, 9, 40})
    check(f, numbers<float, 3>({count, 3, 5}), numbers<float, 1>({3}, 1), numbers<float, 1>({count}, 2),
          numbers<float, 2>({count, 2}, 3));
}

struct table : kt::model {
  kt::shared<float, 37, 5> W{this, "W", kt::init::uniform(0.5, 2.0)};

  constexpr auto normalise() const { return kt::updates(kt::update(W, W / kt::sum(W, kt::axis<1>, kt::keep_dims))); }
  constexpr auto noise() const { return kt::sum(kt::random::uniform<float, 37, 3>(0.0, 1.0), kt::axis<1>); }
};

TEST_CASE("short rows: results where operands lie, and drawn elements") {
  for (const int threads : {1, 3}) {
    kt::session<table> session{kt::context::host(threads), kt::seed{3}};
    auto normalise = session.compile<&table::normalise>();
    static_assert(kt::peak_bytes<&table::normalise>() == 0);
    for (int call = 0; call < 2; ++call) {
      normalise();
      const auto W = session.get<&table::W>();
      for (std::int64_t i = 0; i < 37; ++i) {
        double sum = 0;
        for (std::int64_t j = 0; j < 5; ++j) sum += static_cast<double>(W(i, j));
        CHECK(sum == doctest::Approx(1));
      }
    }
    auto noise = session.compile<&table::noise>();
    check(noise);
  }
}

/// Softmax of `count` rows and their sums: the same with any of `threads` as with one.
void check_threads(std::int64_t count, std::initializer_list<int> threads_of_calls) {
  CAPTURE(count);
  const auto x = numbers<float, 2>({count, 10});
  const auto run = [&](int threads) {
    auto f = kt::function(
        [](kt::var<float, rows, 10> v) { return kt::outputs(kt::nn::softmax(v), kt::sum(v, kt::axis<1>)); },
        kt::context::host(threads));
    return f(x);
  };
  const auto [softmax, sums] = run(1);
  for (const int threads : threads_of_calls) {
    CAPTURE(threads);
    const auto [other, others] = run(threads);
    CHECK(std::memcmp(other.data(), softmax.data(), static_cast<std::size_t>(count) * 40) == 0);
    CHECK(std::memcmp(others.data(), sums.data(), static_cast<std::size_t>(count) * 4) == 0);
  }
}

TEST_CASE("short rows: the same result with any number of threads") {
  check_threads(20011, {2, 3});
  if (!test::is_sanitized) check_threads(13889, {64});  // the last of 64 equal parts would be empty
}

}  // namespace
