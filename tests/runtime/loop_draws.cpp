// Random numbers that the body of a loop draws: those of a draw for all iterations, a row for each.
#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

namespace kt = kroton;

namespace {

inline constexpr struct n : kt::dim<n> {} n;

template <class X, class Y>
bool same(const X& x, const Y& y) {
  return x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin());
}

TEST_CASE("loop draws: each iteration has a row of what is drawn for all") {
  auto inside = kt::function([](kt::var<float, n, 3> x) {
    return kt::scan([](auto row) { return row + kt::random::normal<float, 3>(); }, kt::sequences(x)).all;
  });
  auto outside = kt::function([](kt::var<float, n, 3> x) { return x + kt::random::normal<float, n, 3>(); });
  auto around = kt::function([](kt::var<float, n, 3> x) {
    const auto noise = kt::random::normal(kt::sum(x, kt::axis<0>), 1.0F);
    return kt::scan([&](auto row) { return row + noise; }, kt::sequences(x)).all;
  });
  const kt::tensor<float, 2> x({50, 3}, std::vector<float>(150, 0));
  const auto drawn = inside(x);
  CHECK(same(drawn, outside(x)));
  CHECK(!same(drawn, inside(x)));
  const auto once = around(x);
  for (std::int64_t i = 0; i < 3; ++i) CHECK(once(7, i) == once(0, i));
  CHECK(inside(kt::tensor<float, 2>({0, 3})).size() == 0);
  CHECK(kt::debug::verify(inside, x));
}

TEST_CASE("loop draws: walks that numbers begin, forth and back") {
  auto walk = kt::function([](kt::var<float> spread) {
    return kt::scan([&](auto at) { return at + kt::random::normal(0.0F, spread); }, kt::carried(spread),
                    kt::steps<20>())
        .all;
  });
  auto steps = kt::function([](kt::var<float> spread) { return spread * kt::random::normal<float, 20>(); });
  const auto places = walk(2.0F), moves = steps(2.0F);
  float at = 2;
  for (std::int64_t t = 0; t < 20; ++t) CHECK(places(t) == doctest::Approx(at += moves(t)).epsilon(1e-5));
  CHECK(kt::debug::verify(walk, 0.5F));
  // numbers alone do not know the function in whose graph the loop is to be
  auto from_numbers = kt::function([](kt::var<float> mean) {
    return kt::scan([&](auto before) { return before * 0 + kt::random::normal(mean, 1.0F); }, kt::carried(0.0F),
                    kt::steps<20>())
        .all;
  });
  const auto drawn = from_numbers(2.0F);
  CHECK(drawn(0) != drawn(1));
  CHECK(kt::debug::verify(from_numbers, 2.0F));

  auto back = kt::function([](kt::var<float, n> x) {
    return kt::scan([](auto each, auto sum) { return sum + each * kt::random::bernoulli<float>(0.5); },
                    kt::sequences(x), kt::carried(0.0F), kt::scan_options{.go_backwards = true})
        .all;
  });
  CHECK(kt::debug::verify(back, kt::tensor<float, 1>({9}, {1, 2, 3, 4, 5, 6, 7, 8, 9})));
}

TEST_CASE("loop draws: loops in loops, branches, slices and other distributions") {
  auto nested = kt::function([](kt::var<float, n, 4> x) {
    const auto outer = kt::scan(
        [](auto row) {
          return kt::scan([](auto each, auto sum) { return sum + each * kt::random::uniform<float>(); },
                          kt::sequences(row), kt::carried(0.0F))
              .all;
        },
        kt::sequences(x));
    return outer.all;
  });
  auto flat = kt::function(
      [](kt::var<float, n, 4> x) { return kt::cumsum(x * kt::random::uniform<float, n, 4>(), kt::axis<1>); });
  const kt::tensor<float, 2> x({3, 4}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
  const auto found = nested(x), expected = flat(x);
  for (std::int64_t i = 0; i < 3; ++i)
    for (std::int64_t j = 0; j < 4; ++j) CHECK(found(i, j) == doctest::Approx(expected(i, j)).epsilon(1e-6));
  CHECK(kt::debug::verify(nested, x));

  auto lifted = kt::function([](kt::var<float, n, 4> y) {
    return kt::vmap<n>([](auto row) { return row + kt::random::uniform<float, 4>(); })(y);
  });
  auto whole = kt::function([](kt::var<float, n, 4> y) { return y + kt::random::uniform<float, n, 4>(); });
  CHECK(same(lifted(x), whole(x)));

  auto several = kt::function([](kt::var<float, n, 4> y) {
    const auto [sum, kept] = kt::scan(
        [](auto row, auto state) {
          const auto at = kt::random::integers<int>(0, 4);
          const auto next = kt::cond(
              row[0] > 0, [&] { return state + row * kt::random::normal<float, 4>(); },
              [&] { return kt::nn::dropout(state, 0.5); });
          return std::tuple{next, next[at] + kt::random::gamma<float>(2.0)};
        },
        kt::sequences(y), kt::carried(kt::ones<float, 4>()));
    return kt::outputs(sum.all, kept.all, kt::grad(kt::sum(sum.last), y));
  });
  CHECK(kt::debug::verify(several, kt::tensor<float, 2>({3, 4}, {1, 2, 3, 4, -1, 1, 1, 1, 2, 2, 2, 2})));
}

TEST_CASE("loop draws: gradients see the numbers of the values") {
  auto cost = kt::function([](kt::var<double, n> x, kt::var<double> spread) {
    const auto h = kt::scan(
        [&](auto each, auto before) { return kt::tanh(before + each + spread * kt::random::normal<double>()); },
        kt::sequences(x), kt::carried(0.1));
    const auto y = kt::sum(kt::sqr(h.all));
    return kt::outputs(y, kt::grad(y, x), kt::grad(y, spread));
  });
  CHECK(kt::debug::verify(cost, kt::tensor<double, 1>({6}, {0.1, -0.2, 0.3, 0.5, -0.4, 0.2}), 0.3));
}

}  // namespace
