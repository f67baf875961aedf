// Matrix products whose extents are small numbers, for which the compiler makes code of their own.
#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace kt = kroton;

namespace {

inline constexpr struct many : kt::dim<many> {} many;

template <class T, int Rank>
kt::tensor<T, Rank> numbers(const std::array<std::int64_t, Rank>& extents) {
  kt::tensor<T, Rank> made(extents);
  for (std::int64_t i = 0; i < made.size(); ++i) made.data()[i] = static_cast<T>((i * 37 + 11) % 23) / T(8) - T(1.25);
  return made;
}

/// x y with factors as they are and transposed, scaled, and of many matrices, one factor or both.
template <class T, int M, int N, int K>
void check_extents() {
  CAPTURE(M);
  CAPTURE(N);
  CAPTURE(K);
  const auto f = [](kt::var<T, M, K> x, kt::var<T, K, N> y, kt::var<T, K, M> xt, kt::var<T, N, K> yt, kt::var<T> a) {
    return kt::outputs(kt::dot(x, y), kt::dot(kt::transpose(xt), y), a * kt::dot(x, kt::transpose(yt)),
                       T(0.3) * kt::dot(kt::transpose(xt), kt::transpose(yt)));
  };
  const auto x = numbers<T, 2>({M, K}), y = numbers<T, 2>({K, N}), xt = numbers<T, 2>({K, M}),
             yt = numbers<T, 2>({N, K});
  auto compiled = kt::function(f, kt::context::host(1));
  CHECK(kt::debug::verify(compiled, x, y, xt, yt, T(-0.7)).ok);
}

}  // namespace

TEST_CASE("products of small matrices: all kinds of extents") {
  check_extents<float, 1, 1, 1>();
  check_extents<float, 3, 3, 3>();
  check_extents<double, 3, 3, 3>();
  check_extents<double, 1, 32, 32>();
  check_extents<float, 32, 1, 31>();
  check_extents<double, 7, 1, 5>();
  check_extents<float, 5, 13, 9>();
  check_extents<double, 31, 29, 17>();
  check_extents<float, 32, 32, 32>();
}

TEST_CASE("products of small matrices: many of them") {
  const auto x = numbers<float, 3>({70, 3, 5}), z = numbers<float, 3>({70, 5, 3});
  const auto y = numbers<float, 2>({5, 4}), yt = numbers<float, 2>({4, 5});
  auto f = kt::function(
      [](kt::var<float, many, 3, 5> a, kt::var<float, many, 5, 3> b, kt::var<float, 5, 4> c, kt::var<float, 4, 5> d) {
        return kt::outputs(kt::dot(a, b), kt::dot(a, c), kt::dot(a, kt::transpose(d)),
                           kt::dot(kt::permute<0, 2, 1>(b), kt::permute<0, 2, 1>(a)));
      });
  CHECK(kt::debug::verify(f, x, z, y, yt).ok);
  const kt::tensor<float, 3> none({0, 3, 5}), no_others({0, 5, 3});
  CHECK(kt::debug::verify(f, none, no_others, y, yt).ok);
  // two leading axes, whose order is another in memory, parts of larger matrices, and rows that come backwards
  auto parts = kt::function([](kt::var<double, 4, many, 6, 6> a, kt::var<double, many, 4, 6, 6> b) {
    const auto turned = kt::permute<1, 0, 2, 3>(a);
    return kt::outputs(kt::dot(turned, b),
                       kt::dot(turned[kt::at(kt::all, kt::all, kt::slice(1, 4))],
                               b[kt::at(kt::all, kt::all, kt::all, kt::slice(2, 5))]),
                       kt::dot(turned[kt::at(kt::all, 2, kt::slice(0, 6, 2))], b[kt::at(kt::all, 1)]));
  });
  CHECK(kt::debug::verify(parts, numbers<double, 4>({4, 3, 6, 6}), numbers<double, 4>({3, 4, 6, 6})).ok);
}

TEST_CASE("products of small matrices: NaN, infinities and denormal numbers come through") {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN(),
              least = std::numeric_limits<float>::denorm_min();
  auto f = kt::function([](kt::var<float, 3, 3> x, kt::var<float, 3, 3> y, kt::var<float> a) {
    return kt::outputs(kt::dot(x, y), a * kt::dot(x, y));
  });
  const kt::tensor<float, 2> x({3, 3}, {inf, 0, 1, 0, 1, 0, 3, 0, 0}), y({3, 3}, {1, 0, -1, nan, least, 0, 1, inf, 2});
  for (const float a : {1.0F, 0.0F, -2.0F}) {
    const auto [z, scaled] = f(x, y, a);
    for (std::int64_t i = 0; i < 3; ++i)
      for (std::int64_t j = 0; j < 3; ++j) {
        float sum = 0;
        for (std::int64_t l = 0; l < 3; ++l) sum += x(i, l) * y(l, j);
        CAPTURE(i);
        CAPTURE(j);
        CHECK((z(i, j) == sum || (std::isnan(z(i, j)) && std::isnan(sum))));
        CHECK((scaled(i, j) == a * sum || (std::isnan(scaled(i, j)) && std::isnan(a * sum))));
      }
  }
}

TEST_CASE("products of small matrices give the same bits with any number of threads") {
  const auto product = [](kt::var<float, many, 5, 5> x, kt::var<float, many, 5, 5> y) { return kt::dot(x, y); };
  auto one = kt::function(product, kt::context::host(1)), three = kt::function(product, kt::context::host(3));
  const auto x = numbers<float, 3>({9001, 5, 5}), y = numbers<float, 3>({9001, 5, 5});
  const kt::tensor<float, 3> z = one(x, y), same = three(x, y);
  CHECK(std::equal(z.values().begin(), z.values().end(), same.values().begin()));
  CHECK(z(9000, 4, 4) ==
        doctest::Approx(one(kt::tensor<float, 3>({1, 5, 5}, {x.values().end() - 25, x.values().end()}),
                            kt::tensor<float, 3>({1, 5, 5}, {y.values().end() - 25, y.values().end()}))(0, 4, 4)));
}
