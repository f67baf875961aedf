// Tables that a loop carries and of which each iteration changes a part: they are changed where they lie, unless
// something needs the old value.
#include <kroton/debug/verify.hpp>
#include <kroton/debug/verify_grad.hpp>
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <tuple>

namespace kt = kroton;

namespace {

inline constexpr struct n : kt::dim<n> {} n;
constexpr int length = 6, side = length + 1;  // of words, and of tables of their beginnings
using table = kt::var<float, 6, 2>;
using indices = kt::var<std::int64_t, n>;
using lines = kt::var<float, n, 2>;

/// Different numbers between -1 and 1.
template <class T>
kt::tensor<T, 2> numbers(std::int64_t rows, std::int64_t columns) {
  kt::tensor<T, 2> made({rows, columns});
  T next = 1;
  for (T& each : made) each = next = 1 - T(1.9) * next * next;
  return made;
}
const kt::tensor<std::int64_t, 1> places({5}, {3, 0, 3, 5, 0});

}  // namespace

TEST_CASE("tables of loops: rows that are set") {
  auto f = kt::function([](table t, indices at, lines row) {
    return kt::scan([](auto i, auto each, auto before) { return kt::set(before, i, each + before[i]); },
                    kt::sequences(at, row), kt::carried(t))
        .last;
  });
  const auto begin = numbers<float>(6, 2), row = numbers<float>(5, 2);
  auto expected = numbers<float>(6, 2);
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 2; ++j) expected(places(i), j) += row(i, j);
  const auto found = f(begin, places, row);
  CHECK(std::equal(found.begin(), found.end(), expected.begin()));
  const auto unchanged = numbers<float>(6, 2);
  CHECK(std::equal(begin.begin(), begin.end(), unchanged.begin()));
  const auto none = f(begin, kt::tensor<std::int64_t, 1>({0}), kt::tensor<float, 2>({0, 2}));
  CHECK(std::equal(none.begin(), none.end(), begin.begin()));
  CHECK(kt::debug::verify(f, begin, places, row));
}

TEST_CASE("tables of loops: rows and elements that are added to, twice in an iteration") {
  auto f = kt::function([](table t, indices at, lines row) {
    return kt::scan(
               [](auto i, auto each, auto before) {
                 const auto both = kt::stack(kt::axis<0>, i, i);
                 const auto twice = kt::stack(kt::axis<0>, each, each);
                 return kt::inc(before, both, twice);
               },
               kt::sequences(at, row), kt::carried(t))
        .last;
  });
  auto expected = numbers<float>(6, 2);
  const auto row = numbers<float>(5, 2);
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 2; ++j) expected(places(i), j) += 2 * row(i, j);
  const auto found = f(numbers<float>(6, 2), places, row);
  CHECK(std::equal(found.begin(), found.end(), expected.begin()));
  CHECK(kt::debug::verify(f, numbers<float>(6, 2), places, row));
}

TEST_CASE("tables of loops: one element at a time") {
  // the longest common subsequence of two words: a table of those of their beginnings
  auto f = kt::function([](kt::var<int, length> x, kt::var<int, length> y) {
    return kt::scan(
               [&](auto k, auto before) {
                 const auto i = kt::floor_div(k, length), j = kt::mod(k, length);
                 const auto above = before[kt::at(i, j + 1)], left = before[kt::at(i + 1, j)];
                 return kt::set(before, kt::at(i + 1, j + 1),
                                kt::where(x[i] == y[j], before[kt::at(i, j)] + 1, kt::maximum(above, left)));
               },
               kt::sequences(kt::arange<std::int64_t, length * length>()), kt::carried(kt::zeros<int, side, side>()))
        .last;
  });
  const kt::tensor<int, 1> x({length}, {1, 2, 3, 2, 4, 1}), y({length}, {2, 4, 3, 1, 2, 1});
  int expected[side][side] = {};
  for (int i = 0; i < length; ++i)
    for (int j = 0; j < length; ++j)
      expected[i + 1][j + 1] = x(i) == y(j) ? expected[i][j] + 1 : std::max(expected[i][j + 1], expected[i + 1][j]);
  const auto found = f(x, y);
  CHECK(std::equal(found.begin(), found.end(), &expected[0][0]));
  CHECK(kt::debug::verify(f, x, y));
}

TEST_CASE("tables of loops: one memory, where nothing needs the old table") {
  using large = kt::var<float, 1000, 16>;
  constexpr std::int64_t bytes = 4 * 1000 * 16;
  auto set = kt::function([](large t, indices at, kt::var<float, n, 16> row) {
    return kt::scan([](auto i, auto each, auto before) { return kt::set(before, i, each); }, kt::sequences(at, row),
                    kt::carried(t))
        .last;
  });
  static_assert(kt::stats(set).peak_bytes(n(50)) < 2 * bytes);
  auto elements = kt::function([](large t, indices at) {
    return kt::scan(
               [](auto i, auto before) {
                 const auto other = kt::stack(kt::axis<0>, i, i + 1);
                 return kt::set(kt::inc(before, kt::at(i, 3), 1.5F), std::tuple{other, kt::mod(other, 16)},
                                kt::cast<float>(i + other));
               },
               kt::sequences(at), kt::carried(t))
        .last;
  });
  static_assert(kt::stats(elements).peak_bytes(n(50)) < 2 * bytes);
  auto swapped = kt::function([](large t, indices at) {
    return kt::scan(
               [](auto i, auto before) {
                 const auto j = kt::mod(7 * i, 1000);
                 return kt::set(kt::set(before, i, before[j]), j, before[i]);
               },
               kt::sequences(at), kt::carried(t))
        .last;
  });
  static_assert(kt::stats(swapped).peak_bytes(n(50)) < 2 * bytes);
  auto slopes = kt::function([](large t, indices at, kt::var<float, n, 16> row) {
    const auto last = kt::scan([](auto i, auto each, auto before) { return kt::set(before, i, each * before[i]); },
                               kt::sequences(at, row), kt::carried(t))
                          .last;
    const auto cost = kt::sum(kt::sqr(last));
    return kt::outputs(kt::grad(cost, t), kt::grad(cost, row));
  });
  static_assert(kt::stats(slopes).peak_bytes(n(50)) < 2 * bytes);
  auto both = kt::function([](large t, indices at, kt::var<float, n, 16> row) {
    const auto [tables, changes] = kt::scan(
        [](auto i, auto each, auto before) {
          const auto after = kt::set(before, i, each);
          return std::tuple{after, kt::sum(kt::abs(after - before))};
        },
        kt::sequences(at, row), kt::carried(t));
    return kt::outputs(tables.last, changes.all);
  });
  static_assert(kt::stats(both).peak_bytes(n(50)) >= 2 * bytes);
  const auto t = numbers<float>(1000, 16), row = numbers<float>(5, 16);
  CHECK(kt::debug::verify(set, t, places, row));
  CHECK(kt::debug::verify(elements, t, places));
  CHECK(kt::debug::verify(swapped, t, places));
  CHECK(kt::debug::verify(slopes, t, places, row));
  CHECK(kt::debug::verify(both, t, places, row));
}

TEST_CASE("tables of loops: older values, several names, rows that are kept, and an inner loop") {
  auto f = kt::function([](table t, indices at, lines row) {
    const auto older =
        kt::scan([](auto i, auto each, auto two, auto one) { return kt::set(two, i, each + one[i]); },
                 kt::sequences(at, row), kt::carried(kt::taps<-2, -1>(kt::stack(kt::axis<0>, t, 2 * t))));
    const auto named = kt::scan(
        [](auto i, auto each, auto x, auto y) {
          const auto next = kt::set(x, i, each + y[i]);
          return std::tuple{next, next};
        },
        kt::sequences(at, row), kt::carried(t, 3 * t));
    const auto kept = kt::scan([](auto i, auto each, auto before) { return kt::set(before, i, each); },
                               kt::sequences(at, row), kt::carried(t));
    const auto inner = kt::scan(
        [](auto i, auto each, auto before) {
          const auto after = kt::set(before, i, each);
          const auto sums = kt::scan([](auto line, auto sum) { return kt::sin(sum + line); }, kt::sequences(before),
                                     kt::carried(each));
          return std::tuple{after, sums.last};
        },
        kt::sequences(at, row), kt::carried(t));
    return kt::outputs(older.last, std::get<0>(named).last, std::get<1>(named).last, kept.all, std::get<0>(inner).last,
                       std::get<1>(inner).all);
  });
  CHECK(kt::debug::verify(f, numbers<float>(6, 2), places, numbers<float>(5, 2)));
}

struct tables : kt::model {
  kt::shared<float, 6, 2> t{this, "t", kt::init::ones};
  constexpr auto set(indices at, lines row) const {
    const auto last = kt::scan([](auto i, auto each, auto before) { return kt::set(before, i, each + before[i]); },
                               kt::sequences(at, row), kt::carried(t))
                          .last;
    return kt::outputs(kt::sum(t)).updates(kt::update(t, last));
  }
};
TEST_CASE("tables of loops: a shared variable, and gradients") {
  kt::session<tables> session;
  auto set = session.compile<&tables::set>();
  const auto row = numbers<float>(5, 2);
  CHECK(static_cast<float>(set(places, row)) == 12);
  CHECK(session.get<&tables::t>()(3, 0) == 1 + row(0, 0) + row(2, 0));
  CHECK(session.get<&tables::t>()(1, 0) == 1);

  const auto cost = [](kt::var<double, 6, 2> t, kt::var<double, 5, 2> x) {
    const auto last =
        kt::scan([](auto i, auto each, auto before) { return kt::set(before, i, kt::sin(each * before[i])); },
                 kt::sequences(kt::arange<std::int64_t, 5>() / 2, x), kt::carried(t))
            .last;
    return kt::sum(kt::sqr(last));
  };
  const auto of = [](const kt::tensor<double, 2>& x) {
    return kt::reference::reference_tensor{{x.extent(0), x.extent(1)}, {x.begin(), x.end()}, {}};
  };
  CHECK(kt::debug::verify_grad(cost, {of(numbers<double>(6, 2)), of(numbers<double>(5, 2))}).ok);
}
