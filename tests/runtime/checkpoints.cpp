// Loops that keep one iteration of several for their gradients: the same values, in less memory.
// alone: loops in loops and their gradients take long to compile
#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace kt = kroton;

namespace {

inline constexpr struct n : kt::dim<n> {} n;

template <class T, int Rank>
void fill(kt::tensor<T, Rank>& t, unsigned seed) {
  for (T& x : t) x = static_cast<T>((seed = seed * 1664525u + 1013904223u) >> 8) * T(0x1p-24) - T(0.5);
}

template <int Every, bool Backwards = false>
constexpr auto recurrent(const auto& x, const auto& W, const auto& begin) {
  return kt::scan(
      [&](auto row, auto next_row, auto h, auto older, auto count) {
        const auto next = kt::tanh(row + next_row * 0.5 + kt::dot(h, W) - older * 0.3);
        return std::tuple{next, count + 1, kt::sum(next * row)};
      },
      kt::sequences(kt::taps<0, 1>(x)), kt::carried(kt::taps<-1, -2>(begin), std::int64_t{3}),
      kt::scan_options{.go_backwards = Backwards, .keep_every = Every});
}
template <int Every, bool Backwards>
constexpr auto with_gradients(const auto& x, const auto& W, const auto& begin) {
  const auto [h, count, sums] = recurrent<Every, Backwards>(x, W, begin);
  const auto cost = kt::sum(kt::sqr(h.last)) + kt::sum(sums.all * h.all[kt::cols<1, 2>()]) + kt::sum(h.all);
  return kt::outputs(h.all, h.last, count.all, count.last, sums.all, kt::grad(cost, x), kt::grad(cost, W),
                     kt::grad(cost, begin));
}

template <int Every, bool Backwards>
void compare(std::initializer_list<std::int64_t> rows) {
  auto plain = kt::function([](kt::var<double, n, 4> x, kt::var<double, 4, 4> W, kt::var<double, 2, 4> begin) {
    return with_gradients<0, Backwards>(x, W, begin);
  });
  auto kept = kt::function([](kt::var<double, n, 4> x, kt::var<double, 4, 4> W, kt::var<double, 2, 4> begin) {
    return with_gradients<Every, Backwards>(x, W, begin);
  });
  kt::tensor<double, 2> W({4, 4}), begin({2, 4});
  fill(W, 2);
  fill(begin, 3);
  for (const std::int64_t count : rows) {
    CAPTURE(count);
    kt::tensor<double, 2> x({count + 1, 4});
    fill(x, 1);
    const auto expected = plain(x, W, begin), found = kept(x, W, begin);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      const auto same = [](const auto& a, const auto& b) {
        REQUIRE(a.size() == b.size());
        for (std::int64_t i = 0; i < a.size(); ++i)
          CHECK(static_cast<double>(a.data()[i]) == doctest::Approx(static_cast<double>(b.data()[i])).epsilon(1e-12));
      };
      (same(std::get<I>(expected), std::get<I>(found)), ...);
    }
    (std::make_index_sequence<8>());
  }
}

TEST_CASE("checkpoints: values and gradients are those without them") { compare<3, true>({0, 1, 2, 3, 7, 9}); }

constexpr int steps = 1200;
struct network : kt::model {
  kt::shared<float, 16, 16> W{this, "W", kt::init::glorot_uniform};
  template <int Every>
  constexpr auto gradients(kt::var<float, steps, 16> x, kt::var<float, 16> begin) const {
    const auto last = kt::scan([&](auto row, auto h) { return kt::tanh(row + kt::dot(h, W)); }, kt::sequences(x),
                               kt::carried(begin), kt::scan_options{.keep_every = Every})
                          .last;
    const auto cost = kt::sum(kt::sqr(last));
    return kt::outputs(cost, kt::grad(cost, W));
  }
  constexpr auto plain(kt::var<float, steps, 16> x, kt::var<float, 16> begin) const { return gradients<0>(x, begin); }
  constexpr auto kept(kt::var<float, steps, 16> x, kt::var<float, 16> begin) const { return gradients<40>(x, begin); }
};

TEST_CASE("checkpoints: memory is that of two square roots") {
  static_assert(kt::peak_bytes<&network::kept>() * 10 < kt::peak_bytes<&network::plain>());
  kt::session<network> session;
  auto plain = session.compile<&network::plain>();
  auto kept = session.compile<&network::kept>();
  kt::tensor<float, 2> x({steps, 16});
  fill(x, 1);
  const std::vector<float> begin(16, 0.1f);
  const auto [cost, slopes] = plain(x, begin);
  const auto [same_cost, same_slopes] = kept(x, begin);
  CHECK(static_cast<float>(same_cost) == static_cast<float>(cost));
  for (std::int64_t i = 0; i < slopes.size(); ++i)
    CHECK(std::abs(same_slopes.data()[i] - slopes.data()[i]) < 1e-5f * (1 + std::abs(slopes.data()[i])));
}

TEST_CASE("checkpoints: with an end, draws, and second derivatives") {
  auto f = kt::function([](kt::var<double, n> x, kt::var<double> a) {
    const auto [h, count] = kt::scan(
        [&](auto each, auto before) {
          const auto next = kt::sin(before * a + each) + 0.01 * kt::random::normal<double>();
          return std::tuple{next, kt::until(next > 0.9)};
        },
        kt::sequences(x), kt::carried(0.1), kt::scan_options{.keep_every = 2});
    const auto cost = kt::sqr(h.last) + kt::sum(h.all);
    return kt::outputs(h.all, count, kt::grad(cost, x), kt::grad(kt::grad(cost, a), a));
  });
  CHECK(kt::debug::verify(f, kt::tensor<double, 1>({5}, {0.1, 0.3, -0.2, 0.4, 0.6}), 0.7));
  CHECK(kt::debug::verify(f, kt::tensor<double, 1>({5}, {0.1, 2.3, -0.2, 0.4, 0.6}), 0.7));
}

}  // namespace
