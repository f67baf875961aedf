// Groups do not grow without end: long chains become several kernels, each short enough for the compilers.
#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

namespace kt = kroton;

namespace {

constexpr struct n : kt::dim<n> {} n;

TEST_CASE("long kernels: a chain of elementwise operations") {
  auto f = kt::function([](kt::var<float, n> x) {
    kt::var<float, n> y = x;
    for (int i = 0; i < 70; ++i) y = kt::abs(y - x * 0.01);
    return y;
  });
  static_assert(kt::stats(f).launches > 1);
  static_assert(kt::stats(f).launches < 5);
  const kt::tensor<float, 1> x({5}, {-2, -0.5F, 0, 1, 3});
  CHECK(kt::debug::verify(f, x).ok);
}

TEST_CASE("long kernels: a sum of many tensors, and a mean beside it") {
  auto f = kt::function([](kt::var<float, 130, n> x) {
    const auto row = [&](int i) { return kt::reshape<n>(x[kt::rows(i, i + 1)]); };
    kt::var<float, n> sum = row(0);
    for (int i = 1; i < 130; ++i) sum = sum + row(i);
    return kt::outputs(sum, kt::mean(kt::sqr(sum)));
  });
  static_assert(kt::stats(f).launches > 1);
  static_assert(kt::stats(f).launches < 6);
  kt::tensor<float, 2> x({130, 3});
  for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<float>(i % 11) - 5;
  CHECK(kt::debug::verify(f, x).ok);
}

TEST_CASE("long kernels: scalar arithmetic is repeated only where it is short") {
  auto f = kt::function([](kt::var<float, n> x, kt::var<float, 7> z, kt::var<float> a) {
    kt::var<float> b = a, few = a * a + 1;
    for (int i = 0; i < 30; ++i) b = kt::abs(b - 0.1);
    return kt::outputs(x * b * few, z - b + few);
  });
  static_assert(kt::stats(f).launches == 3);  // those of the chain are one
  const kt::tensor<float, 1> x({2}, {1, -2}), z({7}, {1, 2, 3, 4, 5, 6, 7});
  CHECK(kt::debug::verify(f, x, z, 3.7F).ok);
}

}  // namespace
