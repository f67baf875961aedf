// kt::vmap: a lifted function is the function of each slice, whatever is in it.
#include "support.hpp"

#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include <cmath>
#include <vector>

using namespace test;

namespace {

inline constexpr struct batch : kt::dim<batch> {} batch;
inline constexpr struct length : kt::dim<length> {} length;

/// Numbers between -1 and 1.
template <int Rank>
kt::tensor<double, Rank> some(const std::int64_t (&extents)[Rank], unsigned seed = 1) {
  std::array<std::int64_t, Rank> of{};
  std::copy(extents, extents + Rank, of.begin());
  kt::tensor<double, Rank> made(of);
  for (double& x : made) x = static_cast<double>((seed = seed * 1664525u + 1013904223u) >> 8) * 0x1p-23 - 1;
  return made;
}
template <class X, class Y>
bool are_equal(const X& x, const Y& y) {
  if (x.size() != y.size()) return false;
  for (std::size_t i = 0; i < static_cast<std::size_t>(x.size()); ++i)
    if (!(std::abs(static_cast<double>(x.data()[i] - y.data()[i])) <=
          1e-12 * (1 + std::abs(static_cast<double>(y.data()[i])))))
      return false;
  return true;
}

/// Calls a function of a slice of `x` (batch, 3, 4) and what all share, lifted and in a loop.
template <class Function>
void check_lifted(Function) {
  auto f = kt::function([](kt::var<double, batch, 3, 4> x, kt::var<double, 4, 4> W, kt::var<std::int32_t, 2> at) {
    constexpr Function of_slice;
    const auto body = [&](auto slice) { return of_slice(slice, W, at); };
    return std::apply([](const auto&... each) { return kt::outputs(each...); },
                      std::tuple_cat(kt::vmap<batch>(body)(x), kt::map(body, kt::sequences(x))));
  });
  for (std::int64_t count : {0, 1, 3}) {
    const auto x = some<3>({count, 3, 4}, 5);
    const auto W = some<2>({4, 4}, 6);
    const std::vector<std::int32_t> at{2, 0};
    const auto found = f(x, W, at);
    const bool same = [&]<std::size_t... I>(std::index_sequence<I...>) {
      return (are_equal(std::get<I>(found), std::get<I + sizeof...(I)>(found)) && ...);
    }
    (std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<decltype(found)>> / 2>{});
    CHECK(same);
    CHECK(kt::debug::verify(f, x, W, at));
  }
}

TEST_CASE("vmap: elementwise operations, views and reductions") {
  check_lifted([](auto x, auto W, auto at) {
    return std::tuple{kt::nn::softmax(x) + kt::sum(x, kt::axis<0>) * W[0] + kt::cast<double>(kt::sum(at)),
                      kt::reshape<4, 3>(x) * kt::transpose(x) + kt::max(x) + kt::cast<double>(kt::argmax(x)),
                      kt::concatenate(kt::axis<1>, x, kt::transpose(W)[kt::rows<0, 3>()])};
  });
}
TEST_CASE("vmap: products of all kinds") {
  check_lifted([](auto x, auto W, auto at) {
    return std::tuple{kt::dot(x, W), kt::dot(W, kt::transpose(x)), kt::dot(kt::dot(x, W), kt::transpose(x)),
                      kt::dot(x[0], W) + kt::dot(W, x[1]) + kt::dot(x[1], x[2]) + kt::cast<double>(kt::sum(at)),
                      kt::dot(kt::broadcast_to<2, 3, 4>(x), kt::broadcast_to<2, 4, 4>(W))};
  });
}
TEST_CASE("vmap: lookups and routines") {
  check_lifted([](auto x, auto W, auto at) {
    return std::tuple{kt::take(x, at) + kt::take(W, at), kt::take(W, kt::argsort(x[0])) + kt::sort(x[1]),
                      kt::take(x, kt::argmax(x, kt::axis<0>)), kt::searchsorted(kt::sort(x[0]), W),
                      kt::cumsum(x, kt::axis<0>)};
  });
}
TEST_CASE("vmap: gradients of each slice, and other derivatives") {
  check_lifted([](auto x, auto W, auto at) {
    return std::tuple{kt::grad(kt::sum(kt::take(kt::exp(x), at) * kt::take(W, at)), x),
                      kt::grad(kt::sum(kt::tanh(kt::dot(x, W))), W),
                      kt::grad(kt::sum(kt::sqr(x[kt::rows<1, 3>()])), x),
                      kt::jacobian(kt::dot(x, W[0]), x),
                      kt::jvp(kt::tanh(kt::dot(x, W)), W, kt::dot(W, W) * x[0]),
                      kt::hvp(kt::prod(x[0] + kt::sum(W)), W, W * x[1])};
  });
}
TEST_CASE("vmap: loops, and gradients through them") {
  check_lifted([](auto x, auto W, auto at) {
    const auto step = [&](auto row, auto h) { return kt::tanh(row + kt::dot(h, W)); };
    return std::tuple{
        kt::scan(step, kt::sequences(x), kt::carried(kt::zeros_like(x[0]))).all,
        kt::scan([&](auto w, auto old, auto newest) { return w * old + newest * kt::sum(x); }, kt::sequences(W),
                 kt::carried(kt::taps<-2, -1>(W[kt::rows<0, 2>()])))
            .last,
        kt::grad(kt::sum(kt::reduce(step, kt::sequences(x), kt::carried(W[0]))), W) + kt::cast<double>(kt::sum(at))};
  });
}
TEST_CASE("vmap: gradients of a loop with respect to one variable and then to another") {
  check_lifted([](auto x, auto W, auto at) {
    const auto a = kt::sum(W[0]), b = kt::sum(W[1]) + kt::cast<double>(kt::sum(at));
    const auto [one, other] = kt::scan(
        [](auto each, auto p, auto q) {
          return std::tuple{kt::sin(p * each), kt::sin(q * p)};
        },
        kt::sequences(x[0]), kt::carried(a, b));
    const auto cost = one.last * other.last;
    const auto of_b = kt::grad(cost, b);
    return std::tuple{of_b, of_b * kt::grad(cost, a) + kt::sum(kt::grad(cost, x))};
  });
}

TEST_CASE("vmap: any axis, several results, and a dimension of the result") {
  auto f = kt::function([](kt::var<double, 2, batch> x, kt::var<double, batch> y, kt::var<double, length> z) {
    const auto [a, b] = kt::vmap<batch>([&](auto column, auto scalar, auto shared) {
      return std::tuple{kt::outer(column * scalar, shared), kt::sum(z)};
    })(x, y, z);
    const auto both = kt::vmap<batch>(
        [&](auto scalar) { return kt::vmap<length>([&](auto other) { return scalar * other + 1.0; })(z); })(y);
    return kt::outputs(a, b, both);
  });
  const auto x = some<2>({2, 3});
  const numbers y{1, -1, 2}, z{3, 5};
  const auto [a, b, both] = f(x, y, z);
  CHECK(a.extents() == std::array<std::int64_t, 3>{3, 2, 2});
  for (std::int64_t i = 0; i < 3; ++i) {
    for (std::int64_t j = 0; j < 2; ++j)
      for (std::int64_t k = 0; k < 2; ++k)
        CHECK(a(i, j, k) == x(j, i) * y[static_cast<std::size_t>(i)] * z[static_cast<std::size_t>(k)]);
    CHECK(b(i) == 8);
    CHECK(both(i, 1) == y[static_cast<std::size_t>(i)] * 5 + 1);
  }
  CHECK(kt::debug::verify(f, x, y, z));
}

}  // namespace
