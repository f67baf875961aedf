// What moves out of loops, and what is added up in them: values and gradients against the reference, and how many
// kernels are left.
#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <tuple>
#include <vector>

namespace kt = kroton;

namespace {

inline constexpr struct n : kt::dim<n> {} n;
inline constexpr struct batch : kt::dim<batch> {} batch;

/// Numbers between -1 and 1.
template <class T = float, class... E>
auto some(E... extents) {
  kt::tensor<T, sizeof...(E)> made({static_cast<std::int64_t>(extents)...});
  unsigned seed = static_cast<unsigned>(made.size()) + 1;
  for (T& x : made) x = static_cast<T>(static_cast<float>((seed = seed * 1664525u + 1013904223u) >> 8) * 0x1p-23f - 1);
  return made;
}

/// The cost of what a loop makes, and its gradients.
template <class... V>
constexpr auto with_gradients(auto cost, const V&... variables) {
  return kt::outputs(cost, kt::grad(cost, variables)...);
}

TEST_CASE("code motion: products of rows of sequences, and weight gradients") {
  auto f = kt::function([](kt::var<float, n, batch, 4> x, kt::var<float, 4, 3> W, kt::var<float, 3, 3> U,
                           kt::var<float, 3, 2> V, kt::var<float, 3> b) {
    const auto [h, y] = kt::scan(
        [&](auto row, auto before) {
          const auto next = kt::tanh(kt::dot(row, W) + kt::dot(before, U) + b);
          return std::tuple{next, kt::dot(next, V) + kt::sum(kt::dot(before, V))};
        },
        kt::sequences(x), kt::carried(kt::zeros<float, batch, 3>()));
    return with_gradients(kt::sum(kt::sqr(h.last)) + kt::sum(y.all * y.all), x, W, U, V, b);
  });
  for (int count : {0, 1, 6})
    for (int rows : {1, 5})
      CHECK(kt::debug::verify(f, some(count, rows, 4), some(4, 3), some(3, 3), some(3, 2), some(3)));
}

TEST_CASE("code motion: a recurrent network takes one product a step each way, and three for all steps") {
  auto f = kt::function([](kt::var<float, n, batch, 4> x, kt::var<float, 4, 3> W, kt::var<float, 3, 3> U,
                           kt::var<float, 3> b, kt::var<float, batch, 3> begin) {
    const auto h = kt::scan([&](auto row, auto before) { return kt::tanh(kt::dot(row, W) + kt::dot(before, U) + b); },
                            kt::sequences(x), kt::carried(begin));
    return with_gradients(kt::sum(kt::sqr(h.last)), W, U, b);
  });
  static_assert(kt::stats(f).gemms == 5);
  static_assert(kt::stats(f).launches == 13);  // one turns U, which the loop that goes back reads transposed
}

TEST_CASE("code motion: vectors, matrices that multiply vectors, and loops that go backwards") {
  auto f = kt::function(
      [](kt::var<double, n, 4> x, kt::var<double, 4, 3> W, kt::var<double, 3, 4> M, kt::var<double, 3, 3> U) {
        const auto body = [&](auto row, auto before) {
          const auto e = kt::exp(row);
          return kt::sin(kt::dot(e, W) + kt::dot(M, row) + kt::dot(U, before) + kt::sum(e));
        };
        const auto a = kt::scan(body, kt::sequences(x), kt::carried(kt::zeros<double, 3>()));
        const auto b = kt::scan(body, kt::sequences(x), kt::carried(a.last), kt::scan_options{.go_backwards = true});
        const auto c = kt::scan(
            [&](auto left, auto right, auto before) {
              return 0.1 * kt::sum(kt::dot(left * before, W)) * kt::sum(right) + kt::sum(kt::dot(right, W));
            },
            kt::sequences(kt::taps<-1, 1>(x)), kt::carried(1.0));
        return with_gradients(kt::sum(a.all * b.all) + kt::sum(b.last) + c.last, x, W, M, U);
      });
  for (int count : {2, 3, 7})
    CHECK(kt::debug::verify(f, some<double>(count, 4), some<double>(4, 3), some<double>(3, 4), some<double>(3, 3)));
}

TEST_CASE("code motion: lookups and batched products of a sequence") {
  auto f = kt::function([](kt::var<std::int32_t, n, batch> index, kt::var<float, 5, 4> table,
                           kt::var<float, n, batch, 2, 4> x, kt::var<float, 4, 3> W) {
    const auto h = kt::scan(
        [&](auto i, auto row, auto before) {
          return kt::tanh(before + kt::dot(kt::take(table, i), W) + kt::sum(kt::dot(row, W), kt::axis<1>));
        },
        kt::sequences(index, x), kt::carried(kt::zeros<float, batch, 3>()));
    return with_gradients(kt::sum(kt::sqr(h.all)), table, x, W);
  });
  for (int count : {0, 3}) {
    kt::tensor<std::int32_t, 2> index({count, 2});
    std::int32_t next = 0;
    for (std::int32_t& i : index) i = next++ * 2 % 5;
    CHECK(kt::debug::verify(f, index, some(5, 4), some(count, 2, 2, 4), some(4, 3)));
  }
}

TEST_CASE("code motion: a loop that carries nothing is none") {
  auto f = kt::function([](kt::var<float, n, 4> x, kt::var<float, 4, 3> W) {
    const auto y =
        kt::scan([&](auto row) { return kt::exp(kt::dot(row, W)) + kt::sum(row * 0 + 1); }, kt::sequences(x));
    const auto z = kt::scan([&](auto row) { return kt::tanh(kt::dot(row, W)); }, kt::sequences(x));
    return kt::outputs(y.all, z.all);
  });
  CHECK(kt::debug::verify(f, some(6, 4), some(4, 3)));
  auto g = kt::function([](kt::var<float, n, 4> x, kt::var<float, 4, 3> W) {
    return kt::scan([&](auto row) { return kt::tanh(kt::dot(row, W)); }, kt::sequences(x)).all;
  });
  static_assert(kt::stats(g).launches == 2);
  CHECK(kt::debug::verify(g, some(6, 4), some(4, 3)));
  CHECK(kt::debug::verify(g, some(0, 4), some(4, 3)));
}

TEST_CASE("code motion: sums over rows, which are kept or not, of all types") {
  auto f = kt::function([](kt::var<float, n, 3> x, kt::var<kt::half, n, 3> narrow, kt::var<std::int32_t, n> count) {
    const auto [s, y, z, c] = kt::scan(
        [&](auto row, auto small, auto number, auto before) {
          const auto next = before * 0.5f + row;
          return std::tuple{next, kt::sin(next), small * kt::cast<kt::half>(before), number + 1};
        },
        kt::sequences(x, narrow, count), kt::carried(kt::zeros<float, 3>()));
    return kt::outputs(kt::sum(s.all, kt::axis<0>), kt::sum(y.all), y.all, kt::mean(s.all, kt::axis<1>),
                       kt::sum(z.all, kt::axis<0>), kt::sum(c.all), kt::grad(kt::sum(kt::sqr(y.all)), x));
  });
  for (int count : {0, 1, 9})
    CHECK(kt::debug::verify(f, some(count, 3), some<kt::half>(count, 3),
                            std::vector<std::int32_t>(static_cast<std::size_t>(count), 7)));
}

TEST_CASE("code motion: a loop in another") {
  auto f = kt::function([](kt::var<double, n, batch, 3> x, kt::var<double, 3, 3> W, kt::var<double, 3, 3> U) {
    const auto outer = kt::scan(
        [&](auto rows, auto state) {
          const auto inner = kt::scan([&](auto row, auto h) { return kt::tanh(kt::dot(row, W) + kt::dot(h, U)); },
                                      kt::sequences(rows), kt::carried(kt::dot(state, W)));
          return std::tuple{inner.last + kt::dot(kt::sum(rows, kt::axis<0>), U), kt::dot(inner.last, W)};
        },
        kt::sequences(x), kt::carried(kt::zeros<double, 3>()));
    return with_gradients(kt::sum(std::get<0>(outer).last) + kt::sum(kt::sqr(std::get<1>(outer).all)), x, W, U);
  });
  for (int count : {1, 3})
    CHECK(kt::debug::verify(f, some<double>(count, 4, 3), some<double>(3, 3), some<double>(3, 3)));
}

}  // namespace
