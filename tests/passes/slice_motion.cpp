// Of a value of which only a part is read, only that part is computed.
#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace kt = kroton;

namespace {

inline constexpr struct n : kt::dim<n> {} n;
inline constexpr struct m : kt::dim<m> {} m;

kt::tensor<double, 2> matrix(std::int64_t rows, std::int64_t columns, unsigned seed = 1) {
  kt::tensor<double, 2> made({rows, columns});
  for (double& x : made) x = static_cast<double>((seed = seed * 1664525u + 1013904223u) >> 8) * 0x1p-23 - 1;
  return made;
}

TEST_CASE("slice motion: elementwise operations, products, reductions, transposes and lookups") {
  auto f = kt::function([](kt::var<double, n, 6> x, kt::var<double, 6, 5> W, kt::var<double, m, 6> y,
                           kt::var<std::int64_t> k, kt::var<int, n> index) {
    const auto product = kt::dot(kt::exp(x), kt::sin(W)) + 1.0;
    const auto sums = kt::sum(kt::transpose(x * x), kt::axis<0>);
    const auto looked_up = kt::tanh(kt::take(y, index) * kt::sum(y, kt::axis<0>));
    const auto both = x + kt::cos(kt::assume_shape<n, 6>(y));  // checked at the call
    return kt::outputs(product[kt::rows(0, k)], kt::transpose(product * 2.0)[kt::rows<1, 3>()], sums[kt::rows(1, k)],
                       looked_up[kt::rows(0, k)], both[kt::at(kt::slice(0, k), kt::slice(1, 6, 2))],
                       kt::nn::softmax(x * 3.0)[kt::rows(0, k)], kt::max(x * 2.0, kt::axis<1>)[kt::rows(0, k)],
                       kt::nn::softmax(x)[kt::cols<0, 2>()], kt::nn::dropout(x, 0.5)[kt::rows(0, k)],
                       kt::broadcast_to<3, n, 6>(kt::exp(x))[kt::at(1, kt::slice(0, k))],
                       kt::argmax(x, kt::axis<0>)[kt::rows<1, 2>()]);
  });
  const auto x = matrix(5, 6), W = matrix(6, 5, 3), y = matrix(5, 6, 4);
  for (std::int64_t k : {1, 3, 5}) CHECK(kt::debug::verify(f, x, W, y, k, std::vector<int>{4, 0, 1, 2, 2}));
  CHECK_THROWS_AS(f(x, W, y, 1, std::vector<int>{0, 0, 0, 0, 7}), kt::index_error);  // outside the part, too
}

TEST_CASE("slice motion: what nobody reads takes no memory") {
  auto part = kt::function([](kt::var<double, 4000, 8> x, kt::var<double, 8, 8> W) {
    return kt::dot(kt::tanh(kt::dot(kt::exp(x), W)), W)[kt::rows<10, 12>()] * 2.0;
  });
  static_assert(kt::stats(part).peak_bytes() < 4096);
  auto shared = kt::function([](kt::var<double, 4000, 8> x, kt::var<double, 8, 8> W) {
    const auto whole = kt::dot(kt::exp(x), W);
    return kt::outputs(whole[kt::rows<10, 12>()], whole[kt::rows<0, 1>()]);
  });
  static_assert(kt::stats(shared).peak_bytes() > 100'000);
  auto columns = kt::function([](kt::var<float, 4000, 8> x) { return kt::nn::softmax(x)[kt::cols<0, 2>()] * 2.0f; });
  static_assert(kt::stats(columns).peak_bytes() <= 4000 * 8 * 4);  // the result of one kernel
  const auto x = matrix(4000, 8), W = matrix(8, 8, 2);
  CHECK(kt::debug::verify(part, x, W));
  CHECK(kt::debug::verify(shared, x, W));
}

}  // namespace
